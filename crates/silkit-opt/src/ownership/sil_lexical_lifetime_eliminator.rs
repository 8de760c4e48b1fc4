//! `sil-lexical-lifetime-eliminator`: removes `[lexical]` flags if `-enable-lexical-lifetimes=false` is set.
//!
//! The example shows the pass with that option; without it, the pass makes no changes.
//!
//! | before | after |
//! |---|---|
//! | `%1 = begin_borrow [lexical] %0` | `%1 = begin_borrow %0` |
//! | `%1 = move_value [lexical] %0` | `%1 = move_value %0` |
//! | `%1 = alloc_stack [lexical] $T` | `%1 = alloc_stack $T` |

use silkit_ir::{Inst, Opcode};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_pass::options;

pub(super) const PASS: Pass<'static> = Pass::function(
    "sil-lexical-lifetime-eliminator",
    "Removes lexical markers if lexical lifetimes are disabled",
    &run,
)
.mandatory()
.with_options(&[options::LEXICAL_LIFETIMES]);

fn run(cx: &mut FunctionContext<'_>) {
    if cx.options().is_on(options::LEXICAL_LIFETIMES) {
        return;
    }
    let body = cx.body();
    let is_lexical = |&inst: &Inst| {
        let opcode = body.inst(inst).opcode;
        matches!(opcode, Opcode::BeginBorrow | Opcode::MoveValue | Opcode::AllocStack)
            && body.has_flag(inst, "lexical")
    };
    let lexical: Vec<Inst> = body.insts().filter(is_lexical).collect();
    for inst in lexical {
        if !cx.may_change() {
            return;
        }
        cx.edit().set_flag(inst, "lexical", false);
        cx.count("lifetimes changed", 1);
    }
}

#[cfg(test)]
mod tests {
    use crate::PASSES;
    use silkit_pass::{PassOptions, Runner};

    fn lexical(option: Option<&str>) -> usize {
        let text = "sil_stage canonical\nimport Swift\nclass C {}\n\
            sil [ossa] @f : $@convention(thin) (@owned C) -> () {\nbb0(%0 : @owned $C):\n\
            %1 = begin_borrow [lexical] %0\nend_borrow %1\n%3 = move_value [lexical] %0\n\
            %4 = alloc_stack [lexical] $C\ndealloc_stack %4\ndestroy_value %3\n%r = tuple ()\nreturn %r\n}\n";
        let mut module = silkit_text::parse_module(text).module;
        let declarations = silkit_text::decl::declarations(&module);
        let pass = PASSES.find("sil-lexical-lifetime-eliminator").expect("the pass");
        let mut options = PassOptions::default();
        if let Some(value) = option {
            options.set("enable-lexical-lifetimes", value);
        }
        Runner::new().options(options).run(&mut module, &declarations, &[pass.into()]);
        silkit_pass::testing::code(&module).matches("[lexical]").count()
    }

    #[test]
    fn lifetimes_are_lexical_unless_that_is_off() {
        assert_eq!((lexical(None), lexical(Some("")), lexical(Some("false"))), (3, 3, 0));
    }
}
