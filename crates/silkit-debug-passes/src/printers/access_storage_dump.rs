//! `access-storage-dump`: prints the storage and access path of each accessed address and, with
//! `-enable-access-storage-dump-uses`, all overlapping uses.

use super::storage::StoragePrinter;
use silkit_analysis::BodyView;
use silkit_analysis::access::{
    AccessPath, AccessPathWithBase, AccessScopes, Overlap, accessed_addresses, find, uses,
};
use silkit_ir::{Operand, Value};
use silkit_pass::ModuleContext;
use silkit_pass::Pass;
use silkit_pass::options;
use std::fmt::Write;

pub(crate) const PASS: Pass<'static> =
    Pass::module("access-storage-dump", "Prints the storage of each accessed address", &run)
        .with_options(&[options::DUMP_STORAGE_USES]);

fn run(cx: &mut ModuleContext<'_>) {
    let program = cx.program();
    let shows_uses = cx.options().is_on(options::DUMP_STORAGE_USES);
    let mut text = String::new();
    for function in cx.module().functions.values() {
        let _ = writeln!(text, "@{}", function.name);
        let Some(body) = &function.body else {
            text.push_str("<unknown>\n");
            continue;
        };
        let printer = StoragePrinter::new(cx, BodyView::new(&program, function, body));
        let behavior = printer.view.behavior();
        for inst in body.insts().filter(|&i| behavior.may_read_or_write(i)) {
            text.push_str("###For MemOp: ");
            text.push_str(&printer.dump.inst(inst, ""));
            for operand in accessed_addresses(&printer.view, inst) {
                address(&printer, body.operand(operand).value, shows_uses, &mut text);
            }
        }
    }
    cx.print(&text);
}

fn address(printer: &StoragePrinter<'_>, address: Value, shows_uses: bool, text: &mut String) {
    let found = find(&printer.view, address, AccessScopes::Through);
    let Some(AccessPathWithBase { storage, base, path }) = found else {
        text.push_str("INVALID\nBase: unidentified\nINVALID\n");
        return;
    };
    let shown = printer.storage(&storage);
    text.push_str(&shown);
    let Some(path) = path else {
        text.push_str("Base: unidentified\nINVALID\n");
        return;
    };
    let base = base.map_or("unidentified\n".to_owned(), |base| printer.dump.value(base, ""));
    let _ = writeln!(text, "Base: {base}Storage: {shown}Path: {path}");
    if !shows_uses {
        return;
    }
    let all = uses(&printer.view, storage, &path);
    let lists = [("Exact", Overlap::Exact), ("Inner", Overlap::Inner), ("Overlapping", Overlap::Partial)];
    for (title, widest) in lists {
        let _ = writeln!(text, "{title} Uses {{");
        for found in all.iter().filter(|found| found.overlap <= widest) {
            use_of(printer, found.operand, text);
        }
        text.push_str("}\n");
    }
}

fn use_of(printer: &StoragePrinter<'_>, operand: Operand, text: &mut String) {
    let operand = printer.view.body.operand(operand);
    text.push_str(&printer.dump.inst(operand.user, ""));
    let path: Option<AccessPath> =
        find(&printer.view, operand.value, AccessScopes::Through).and_then(|found| found.path);
    match path {
        Some(path) => _ = writeln!(text, "  Path: {path}"),
        None => text.push_str("  Path: INVALID\n"),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::printed;
    use silkit_pass::Stream;

    const DECLARATIONS: &str = "\
sil_stage canonical
import Builtin
class C { @_hasStorage var x: Builtin.Int64 }
class E { @_hasStorage var z: Builtin.Int64 }
";

    fn lines(text: &str) -> Vec<String> {
        let printed = printed("access-storage-dump", Stream::Out, &format!("{DECLARATIONS}{text}"));
        let column = |line: &str| line.split("//").next().unwrap_or_default().trim().to_owned();
        printed.lines().map(column).collect()
    }

    #[test]
    fn properties_are_those_of_the_class_of_the_root() {
        let of_root = |root: &str| {
            lines(&format!(
                "sil @f : $@convention(thin) (@guaranteed {root}) -> () {{\nbb0(%0 : ${root}):\n  \
                 %1 = unchecked_ref_cast %0 : ${root} to $C\n  %2 = ref_element_addr %1 : $C, #C.x\n  \
                 %3 = load %2 : $*Builtin.Int64\n  %r = tuple ()\n  return %r : $()\n}}\n"
            ))
        };
        assert_eq!(of_root("E")[3], "Field: var z: Builtin.Int64 Index: 0");
        assert_eq!(of_root("Builtin.NativeObject")[3], "Index: 0");
    }

    #[test]
    fn undefined_addresses_print_with_their_type() {
        let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = load undef : $*C\n  %r = tuple ()\n  \
            return %r : $()\n}\n";
        assert_eq!(lines(text)[2], "Unidentified undef<$*C>");
    }

    #[test]
    fn merged_addresses_have_no_base() {
        let text = "\
sil @f : $@convention(thin) (@guaranteed C) -> () {
bb0(%0 : $C):
  cond_br undef, bb1, bb2
bb1:
  %2 = ref_element_addr %0 : $C, #C.x
  %3 = address_to_pointer %2 : $*Builtin.Int64 to $Builtin.RawPointer
  br bb3(%3 : $Builtin.RawPointer)
bb2:
  %5 = ref_element_addr %0 : $C, #C.x
  %6 = address_to_pointer %5 : $*Builtin.Int64 to $Builtin.RawPointer
  br bb3(%6 : $Builtin.RawPointer)
bb3(%8 : $Builtin.RawPointer):
  %9 = pointer_to_address %8 : $Builtin.RawPointer to [strict] $*Builtin.Int64
  %10 = load %9 : $*Builtin.Int64
  %r = tuple ()
  return %r : $()
}
";
        let expected = [
            "@f",
            "###For MemOp:   %10 = load %9 : $*Builtin.Int64",
            "Class %0 = argument of bb0 : $C",
            "Field: var x: Builtin.Int64 Index: 0",
            "Base: unidentified",
            "Storage: Class %0 = argument of bb0 : $C",
            "Field: var x: Builtin.Int64 Index: 0",
            "Path: ()",
        ];
        assert_eq!(lines(text), expected);
    }
}
