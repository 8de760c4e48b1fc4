//! Bodies from libraries: which functions come in, with which linkage, and the same from text and from the binary form.

use silkit::ir::Module;
use silkit::library::Library;
use silkit::pass::{PipelineStep, Runner};
use silkit::{binary, passes, read};

const LIBRARY: &str = "sil_stage raw
import Builtin
import Swift
public class Base { init() ; deinit }
public class Derived : Base { init() }
public protocol P { func p() }
sil [serialized] [canonical] [ossa] @api : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @helper : $@convention(thin) () -> ()
  %1 = apply %0() : $@convention(thin) () -> ()
  return %1
}
sil non_abi [serialized] [canonical] [ossa] @helper : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @elsewhere : $@convention(thin) () -> ()
  %1 = global_addr @variable : $*Builtin.Int64
  %2 = tuple ()
  return %2
}
sil [canonical] @elsewhere : $@convention(thin) () -> ()
sil shared [serialized] [canonical] [ossa] @method : $@convention(method) (@guaranteed Base) -> () {
bb0(%0 : @guaranteed $Base):
  %1 = tuple ()
  return %1
}
sil_global @variable : $Builtin.Int64
sil_vtable [serialized] Base {
  #Base.deinit!deallocator: @method
}
sil_vtable [serialized] Derived {
}
";

const MODULE: &str = "sil_stage raw
import Builtin
import Swift
public class Base { init() ; deinit }
public class Derived : Base { init() }
protocol P { func p() }
struct S : P { func p() }
sil [serialized] @api : $@convention(thin) () -> ()
sil hidden_external [serialized] @helper : $@convention(thin) () -> ()
sil hidden_external @missing : $@convention(thin) () -> ()
sil [ossa] @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @api : $@convention(thin) () -> ()
  %1 = metatype $@thick Derived.Type
  %2 = apply %0() : $@convention(thin) () -> ()
  return %2
}
";

/// Returns the functions of the module after a pass with a library, a line each.
fn linked(tag: &str, library: &Library<'_>) -> Vec<String> {
    let mut module = read("m.sil", MODULE.as_bytes()).expect("a module");
    let declarations = silkit::declarations(&module);
    let step: PipelineStep<'_> = passes::find(tag).expect("a pass").into();
    let outcome = Runner::new().library(Some(library)).run(&mut module, &declarations, &[step]);
    assert!(outcome.problems.is_empty());
    assert!(module.is_index_right());
    let printed = silkit::print(&module);
    let heads = printed.lines().filter(|line| line.starts_with("sil ") || line.starts_with("sil_global "));
    heads.map(|line| line.split(" : ").next().unwrap_or_default().to_owned()).collect()
}

fn library_module() -> Module {
    read("lib.sil", LIBRARY.as_bytes()).expect("a library")
}

#[test]
fn what_the_module_has_to_emit_comes_in() {
    let library = Library::new([("lib.sil", LIBRARY.as_bytes())]).expect("a library");
    assert_eq!(
        linked("mandatory-linker", &library),
        [
            "sil_global public_external @variable",
            "sil [serialized] @api",
            "sil shared [serialized] [canonical] [ossa] @helper",
            "sil hidden_external @missing",
            "sil [ossa] @f",
            "sil @elsewhere",
        ]
    );
}

#[test]
fn all_that_can_be_reached_comes_in() {
    let library = Library::new([("lib.sil", LIBRARY.as_bytes())]).expect("a library");
    assert_eq!(
        linked("performance-linker", &library),
        [
            "sil_global public_external @variable",
            "sil public_external [serialized] [canonical] [ossa] @api",
            "sil shared [serialized] [canonical] [ossa] @helper",
            "sil hidden_external @missing",
            "sil [ossa] @f",
            "sil @elsewhere",
            "sil shared [serialized] [canonical] [ossa] @method",
        ]
    );
}

#[test]
fn the_binary_form_gives_the_same_as_the_text() {
    let file = binary::write_module(&library_module()).expect("a file");
    let (text, packed) = (
        Library::new([("lib.sil", LIBRARY.as_bytes())]).expect("a library"),
        Library::new([("lib.sib", file.as_slice())]).expect("a library"),
    );
    packed.check().expect("a library");
    for tag in ["mandatory-linker", "performance-linker"] {
        assert_eq!(linked(tag, &text), linked(tag, &packed));
    }
}

#[test]
fn the_first_library_with_a_body_is_taken() {
    let only_declared = "sil @helper : $@convention(thin) () -> ()\n";
    let files = [("a.sil", only_declared.as_bytes()), ("b.sil", LIBRARY.as_bytes())];
    let library = Library::new(files).expect("a library");
    assert!(linked("mandatory-linker", &library).iter().any(|head| head.starts_with("sil shared")));
}

#[test]
fn without_a_library_nothing_changes() {
    let mut module = read("m.sil", MODULE.as_bytes()).expect("a module");
    let declarations = silkit::declarations(&module);
    let step: PipelineStep<'_> = passes::find("mandatory-linker").expect("a pass").into();
    let outcome = Runner::new().run(&mut module, &declarations, &[step]);
    assert!(!outcome.runs[0].has_changed);
}

#[test]
fn text_with_errors_is_no_library() {
    let error = Library::new([("lib.sil", "sil @f".as_bytes())]).expect_err("an error");
    assert!(error.to_string().contains("lib.sil"), "{error}");
}

const WITNESSES: &str = "sil_stage raw
import Builtin
import Swift
public protocol P { func p() }
public struct G<T> : P { public func p() }
sil shared [transparent] [serialized] [thunk] [canonical] [ossa] @witness : $@convention(witness_method: P) <τ_0_0> (@in_guaranteed G<τ_0_0>) -> () {
bb0(%0 : $*G<τ_0_0>):
  %1 = function_ref @helper : $@convention(thin) <τ_0_0> () -> ()
  %2 = apply %1<τ_0_0>() : $@convention(thin) <τ_0_0> () -> ()
  return %2
}
sil [serialized] [canonical] [ossa] @helper : $@convention(thin) <T> () -> () {
bb0:
  %0 = tuple ()
  return %0
}
sil [transparent] [serialized] [canonical] [ossa] @call : $@convention(thin) <T where T : P> (@in_guaranteed T) -> () {
bb0(%0 : $*T):
  %1 = witness_method $T, #P.p : <Self where Self : P> (Self) -> () -> () : $@convention(witness_method: P) <τ_0_0 where τ_0_0 : P> (@in_guaranteed τ_0_0) -> ()
  %2 = apply %1<T>(%0) : $@convention(witness_method: P) <τ_0_0 where τ_0_0 : P> (@in_guaranteed τ_0_0) -> ()
  return %2
}
sil_witness_table [serialized] <T> G<T>: P module lib {
  method #P.p: <Self where Self : P> (Self) -> () -> () : @witness
}
";

#[test]
fn transparent_bodies_and_witnesses_come_from_the_library() {
    let library = Library::new([("lib.sil", WITNESSES.as_bytes())]).expect("a library");
    let text = "sil_stage raw
import Builtin
import Swift
public protocol P { func p() }
public struct G<T> : P { public func p() }
sil [transparent] [serialized] @call : $@convention(thin) <T where T : P> (@in_guaranteed T) -> ()
sil [ossa] @f : $@convention(thin) (@in_guaranteed G<Builtin.Int64>) -> () {
bb0(%0 : $*G<Builtin.Int64>):
  %1 = function_ref @call : $@convention(thin) <τ_0_0 where τ_0_0 : P> (@in_guaranteed τ_0_0) -> ()
  %2 = apply %1<G<Builtin.Int64>>(%0) : $@convention(thin) <τ_0_0 where τ_0_0 : P> (@in_guaranteed τ_0_0) -> ()
  return %2
}
";
    let mut module = read("m.sil", text.as_bytes()).expect("a module");
    let declarations = silkit::declarations(&module);
    let step: PipelineStep<'_> = passes::find("mandatory-inlining").expect("a pass").into();
    let outcome = Runner::new().library(Some(&library)).run(&mut module, &declarations, &[step]);
    assert!(outcome.problems.is_empty());
    let printed = silkit::print(&module);
    let body = printed.split("@f : ").nth(1).and_then(|rest| rest.split('}').next()).unwrap_or_default();
    let code: Vec<&str> = body.lines().filter_map(|line| line.split("//").next()).map(str::trim).collect();
    let code: Vec<&str> =
        code.into_iter().filter(|line| line.starts_with('%') || line.starts_with("return")).collect();
    assert_eq!(
        code,
        [
            "%1 = function_ref @helper : $@convention(thin) <τ_0_0> () -> ()",
            "%2 = apply %1<Builtin.Int64>() : $@convention(thin) <τ_0_0> () -> ()",
            "return %2",
        ]
    );
    assert!(printed.contains("sil_witness_table public_external [serialized] <T> G<T>: P module lib"));
    assert!(printed.contains("sil public_external [serialized] [canonical] [ossa] @helper"));
}

/// A table of the library is requested by a pass of functions, which then goes on in the same run.
#[test]
fn tables_and_witnesses_come_in_for_function_passes() {
    let library = "sil_stage raw\nimport Builtin\nimport Swift\npublic protocol P { func p() }\n\
        sil shared [serialized] [canonical] [ossa] @witness : $@convention(witness_method: P) (@in_guaranteed Int) -> () {\n\
        bb0(%0 : $*Int):\n%1 = tuple ()\nreturn %1\n}\n\
        sil_witness_table [serialized] Int: P module lib {\n\
        method #P.p: <Self where Self : P> (Self) -> () -> () : @witness\n}\n";
    let library = Library::new([("lib.sil", library.as_bytes())]).expect("a library");
    let caller = |name: &str, attributes: &str| {
        format!(
            "sil {attributes} @{name} : $@convention(thin) (@in_guaranteed Int) -> () {{\n\
             bb0(%0 : $*Int):\n\
             %1 = witness_method $Int, #P.p : <Self where Self : P> (Self) -> () -> () : \
             $@convention(witness_method: P) <τ_0_0 where τ_0_0 : P> (@in_guaranteed τ_0_0) -> ()\n\
             %2 = apply %1<Int>(%0) : \
             $@convention(witness_method: P) <τ_0_0 where τ_0_0 : P> (@in_guaranteed τ_0_0) -> ()\nreturn %2\n}}\n"
        )
    };
    let head = "sil_stage canonical\nimport Builtin\nimport Swift\npublic protocol P { func p() }\n";
    let text = [head, &caller("f", "[ossa]"), &caller("g", "")].concat();
    let run = |tag: &str, library: Option<&dyn silkit::link::LibrarySource>| {
        let mut module = read("m.sil", text.as_bytes()).expect("a module");
        let declarations = silkit::declarations(&module);
        let step: PipelineStep<'_> = passes::find(tag).expect("a pass").into();
        let outcome = Runner::new().library(library).run(&mut module, &declarations, &[step]);
        assert!(outcome.problems.is_empty() && module.is_index_right());
        let changed: Vec<bool> = outcome.runs.iter().map(|run| run.has_changed).collect();
        assert_eq!(outcome.runs.len(), 2);
        (silkit::print(&module), changed)
    };
    let calls = |printed: &str, name: &str| {
        let body = printed.split(&format!("@{name} : ")).nth(1).and_then(|rest| rest.split("\n}").next());
        body.unwrap_or_default().lines().filter(|line| line.contains(" = witness_method")).count()
    };
    for tag in ["devirtualizer", "simplification"] {
        let (printed, changed) = run(tag, Some(&library));
        assert!(printed.contains("sil_witness_table public_external"), "{printed}");
        assert!(printed.contains("[ossa] @witness : "), "{printed}");
        // Code without ownership does not call what came from the library with ownership.
        assert_eq!((calls(&printed, "f"), calls(&printed, "g")), (0, 1), "{printed}");
        assert_eq!(changed, [true, false]);
        let (printed, changed) = run(tag, None);
        assert_eq!((calls(&printed, "f"), calls(&printed, "g")), (1, 1), "{printed}");
        assert_eq!(changed, [false, false]);
    }
}
