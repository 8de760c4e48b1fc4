//! `caller-analysis-printer`: prints the callers of each function as YAML.

use silkit_analysis::calls::Callers;
use silkit_ir::{FunctionId, Module};
use silkit_pass::ModuleContext;
use silkit_pass::Pass;
use silkit_pass::options;

pub(crate) const PASS: Pass<'static> =
    Pass::module("caller-analysis-printer", "Prints the callers of each function", &run)
        .with_options(&[options::WMO]);

fn run(cx: &mut ModuleContext<'_>) {
    let callers = Callers::new(&cx.program());
    let mut text = String::new();
    for (id, function) in cx.module().functions.iter() {
        let of = callers.of(id);
        text += "---\n";
        text += &format!("calleeName:      {}\n", scalar(function.name.as_str()));
        text += &format!("hasCaller:       {}\n", of.has_caller());
        text += &format!("minPartialAppliedArgs: {}\n", of.least_captured());
        text += &format!("hasOnlyCompleteDirectCallerSets: {}\n", of.is_complete_where_named());
        text += &format!("hasAllCallers:   {}\n", of.is_complete());
        text += &list(cx.module(), "partialAppliers:", of.capturers());
        text += &list(cx.module(), "fullAppliers:", of.callers());
        text += "...\n";
    }
    cx.print(&text);
}

/// Returns a name as a YAML scalar, quoted if necessary.
fn scalar(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-/^., ".contains(c);
    if name.chars().all(is_plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', "''")) }
}

/// Returns a list with a key. An empty list is printed after the key, in the column of short values.
fn list(module: &Module, key: &str, functions: impl Iterator<Item = FunctionId>) -> String {
    let items: Vec<String> =
        functions.map(|f| format!("  - {}\n", scalar(module.functions[f].name.as_str()))).collect();
    if items.is_empty() { format!("{key:<16} []\n") } else { format!("{key}\n{}", items.concat()) }
}

#[cfg(test)]
mod tests {
    use crate::testing::printed;
    use silkit_pass::Stream;

    #[test]
    fn callers_are_those_that_call_closures_too() {
        let text = "\
sil_stage canonical
import Builtin
sil private @callee : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  %1 = tuple ()
  return %1
}
sil @caller : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  %1 = function_ref @callee : $@convention(thin) (Builtin.Int1) -> ()
  %2 = partial_apply [callee_guaranteed] %1(%0) : $@convention(thin) (Builtin.Int1) -> ()
  %3 = apply %2() : $@callee_guaranteed () -> ()
  strong_release %2
  return %3
}
";
        let expected = "\
---
calleeName:      callee
hasCaller:       true
minPartialAppliedArgs: 1
hasOnlyCompleteDirectCallerSets: true
hasAllCallers:   true
partialAppliers:
  - caller
fullAppliers:
  - caller
...
---
calleeName:      caller
hasCaller:       false
minPartialAppliedArgs: 0
hasOnlyCompleteDirectCallerSets: true
hasAllCallers:   false
partialAppliers: []
fullAppliers:    []
...
";
        assert_eq!(printed("caller-analysis-printer", Stream::Out, text), expected);
    }
}
