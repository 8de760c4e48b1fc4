//! `access-marker-elim`: removes access markers without dynamic enforcement.
//!
//! Accesses that were proved exclusive (`static`) or are not checked (`unsafe`) are removed. Dynamic accesses, and
//! unknown ones, which may become dynamic, are kept unless `-enforce-exclusivity=unchecked` is set.
//! `-sil-optimized-access-markers` keeps all accesses.
//!
//! ```text
//! sil [ossa] @f : $@convention(thin) (@inout Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $*Builtin.Int64):
//!   %1 = begin_access [read] [static] %0
//!   %2 = load [trivial] %1
//!   end_access %1
//!   return %2
//! }
//! ---
//! sil [ossa] @f : $@convention(thin) (@inout Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $*Builtin.Int64):
//!   %1 = load [trivial] %0
//!   return %1
//! }
//! ```

use silkit_ir::instructions::{AccessEnforcement, BeginAccess, BeginUnpairedAccess, EndUnpairedAccess};
use silkit_ir::{Body, Inst, Opcode};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_pass::options;

pub(super) const PASS: Pass<'static> =
    Pass::function("access-marker-elim", "Removes access markers that need no dynamic enforcement", &run)
        .mandatory()
        .with_options(&[options::EXCLUSIVITY, options::OPTIMIZED_MARKERS]);

fn run(cx: &mut FunctionContext<'_>) {
    if cx.options().is_on(options::OPTIMIZED_MARKERS) {
        return;
    }
    let is_checked = cx.options().text(options::EXCLUSIVITY) != "unchecked";
    let is_kept = |enforcement: AccessEnforcement| match enforcement {
        AccessEnforcement::Static | AccessEnforcement::Unsafe => false,
        AccessEnforcement::Unknown | AccessEnforcement::Dynamic => is_checked,
        AccessEnforcement::Signed => true,
    };
    let should_remove = |&inst: &Inst| enforcement(cx.body(), inst).is_some_and(|how| !is_kept(how));
    let to_remove: Vec<Inst> = cx.body().insts().filter(should_remove).collect();
    for inst in to_remove {
        if cx.may_change() {
            remove(cx, inst);
            cx.count("markers removed", 1);
        }
    }
}

/// Returns the enforcement of an access that an instruction begins, or of an unpaired access.
fn enforcement(body: &Body, inst: Inst) -> Option<AccessEnforcement> {
    match body.inst(inst).opcode {
        Opcode::BeginAccess => body.view_as::<BeginAccess>(inst).map(|a| a.enforcement),
        Opcode::BeginUnpairedAccess => body.view_as::<BeginUnpairedAccess>(inst).map(|a| a.enforcement),
        Opcode::EndUnpairedAccess => body.view_as::<EndUnpairedAccess>(inst).map(|a| a.enforcement),
        _ => None,
    }
}

/// Removes an access marker and its ends. Uses of the access use the address itself.
fn remove(cx: &mut FunctionContext<'_>, marker: Inst) {
    let Some(access) = cx.body().first_result(marker) else { return cx.edit().remove(marker) };
    let is_end = |&user: &Inst| cx.body().inst(user).opcode == Opcode::EndAccess;
    let ends: Vec<Inst> = cx.body().users(access).filter(is_end).collect();
    let address = cx.body().operand_value(marker, 0);
    let mut editor = cx.edit();
    ends.into_iter().for_each(|end| editor.remove(end));
    editor.replace(marker, address);
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    fn left(switches: &[&str]) -> Vec<String> {
        let text = "sil_stage canonical\nimport Builtin\n\
            sil @f : $@convention(thin) (@inout Builtin.Int64, @inout Builtin.UnsafeValueBuffer) -> () {\n\
            bb0(%0 : $*Builtin.Int64, %1 : $*Builtin.UnsafeValueBuffer):\n\
            %2 = begin_access [read] [static] %0\nend_access %2\n\
            %3 = begin_access [read] [dynamic] %0\nend_access %3\n\
            %4 = begin_access [read] [unsafe] %0\nend_access %4\n\
            %5 = begin_access [read] [signed] %0\nend_access %5\n\
            begin_unpaired_access [read] [dynamic] %0, %1\nend_unpaired_access [dynamic] %1\n\
            begin_unpaired_access [read] [static] %0, %1\nend_unpaired_access [static] %1\n\
            %r = tuple ()\nreturn %r\n}\n";
        let text = changed("access-marker-elim", switches, text);
        let marker = |line: &str| {
            let start =
                ["begin_access", "begin_unpaired", "end_unpaired"].into_iter().find_map(|n| line.find(n))?;
            Some(line[start..].split(" %").next()?.to_owned())
        };
        text.lines().filter_map(marker).collect()
    }

    #[test]
    fn what_is_checked_or_signed_stays() {
        let expected = [
            "begin_access [read] [dynamic]",
            "begin_access [read] [signed]",
            "begin_unpaired_access [read] [dynamic]",
            "end_unpaired_access [dynamic]",
        ];
        assert_eq!(left(&[]), expected);
    }

    #[test]
    fn all_stays_where_that_is_wanted() {
        assert_eq!(left(&["sil-optimized-access-markers"]).len(), 8);
    }

    #[test]
    fn values_that_went_through_an_access_use_the_memory() {
        let text = "sil_stage canonical\nimport Builtin\n\
            sil @f : $@convention(thin) (@inout Builtin.Int64) -> Builtin.Int64 {\nbb0(%0 : $*Builtin.Int64):\n\
            %1 = begin_access [read] [static] %0\n%2 = begin_access [read] [unsafe] %1\n%3 = load %2\n\
            end_access %2\nend_access %1\nreturn %3\n}\n";
        let text = changed("access-marker-elim", &[], text);
        assert!(text.contains("%1 = load %0\n  return %1"), "{text}");
    }
}
