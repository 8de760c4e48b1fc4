//! `dump-function-uses`: prints the instructions that reference each function.

use silkit_analysis::calls::FunctionUses;
use silkit_base::IdVec;
use silkit_ir::FunctionId;
use silkit_pass::ModuleContext;
use silkit_pass::Pass;
use silkit_pass::options;
use silkit_text::Numbering;

pub(crate) const PASS: Pass<'static> =
    Pass::module("dump-function-uses", "Prints the instructions that refer to each function", &run)
        .with_options(&[options::WMO]);

fn run(cx: &mut ModuleContext<'_>) {
    let module = cx.module();
    let uses = FunctionUses::new(&cx.program());
    // Numbering takes a walk over the body, which may reference many functions.
    let mut numbers: IdVec<FunctionId, Option<Numbering>> = module.functions.values().map(|_| None).collect();
    let mut text = String::new();
    for (id, function) in module.functions.iter() {
        text += &format!("Uses of {}\n[\n", function.name);
        if uses.is_used_elsewhere(id) {
            text += "<unknown uses>\n";
        }
        // The reference prepends each use that it finds.
        for named in uses.of(id).iter().rev() {
            let user = &module.functions[named.function];
            let Some(body) = &user.body else { continue };
            let numbering = numbers[named.function].get_or_insert_with(|| cx.dump(body).numbering());
            let dump = cx.printing().numbered_dump(module, body, numbering);
            text += &format!("@{}: {}", user.name, dump.inst(named.inst, ""));
        }
        text += &format!("]\nEnd function {}\n\n", function.name);
    }
    cx.print(&text);
}

#[cfg(test)]
mod tests {
    use crate::testing::printed;
    use silkit_pass::Stream;

    #[test]
    fn last_uses_come_first() {
        let text = "\
sil_stage canonical
sil private @named : $@convention(thin) () -> ()
sil @user : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @named : $@convention(thin) () -> ()
  %1 = function_ref @named : $@convention(thin) () -> ()
  unreachable
}
";
        let expected = "\
Uses of named
[
@user:   // function_ref named
  %1 = function_ref @named : $@convention(thin) () -> ()
@user:   // function_ref named
  %0 = function_ref @named : $@convention(thin) () -> ()
]
End function named

Uses of user
[
<unknown uses>
]
End function user

";
        assert_eq!(printed("dump-function-uses", Stream::Out, text), expected);
    }
}
