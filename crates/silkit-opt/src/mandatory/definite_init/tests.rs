//! Cases that differ from the reference, and memory that is left as it is. `tests/ssa/definite_init.txt` has the others.

use crate::PASSES;
use crate::testing::changed;
use silkit_pass::testing;

const HEAD: &str = "sil_stage raw\nimport Builtin\nimport Swift\nclass C {}\n\
    struct S { var a: C\n var n: Builtin.Int64 }\n\
    sil @take : $@convention(thin) (@guaranteed C) -> ()\n\
    sil @fill : $@convention(thin) <T> (@in_guaranteed T) -> (@out T, @error any Error)\n";

/// Returns a module with a function that has a `C`, a condition and a number.
fn function(insts: &str) -> String {
    format!(
        "{HEAD}sil [ossa] @f : $@convention(thin) (@owned C, Builtin.Int1, Builtin.Int64) -> @error any Error {{\n\
         bb0(%0 : @owned $C, %1 : $Builtin.Int1, %2 : $Builtin.Int64):\n{insts}\n\
         %r = tuple ()\nreturn %r\n}}\n"
    )
}

/// Returns the body, after the pass, of a function with a `C`, a condition and a number.
fn initialized(insts: &str) -> String {
    let text = changed("definite-init", &[], &function(insts));
    text[text.find("bb0(").expect("a body")..].to_owned()
}

/// The reference destroys these elements after the end of the borrow, which its verifier rejects.
#[test]
fn elements_in_boxes_are_destroyed_before_their_borrow_ends() {
    let text = initialized(
        "%s = alloc_box ${ var (C, C) }\n%m = mark_uninitialized [var] %s\n\
         %b = begin_borrow [lexical] [var_decl] %m\n%p = project_box %b, 0\n%q = tuple_element_addr %p, 1\n\
         assign %0 to %q\nend_borrow %b\ndestroy_value %m",
    );
    let expected = "  assign %0 to [init] %7\n  %9 = tuple_element_addr %6, 1\n  destroy_addr %9\n  end_borrow %5\n\
                      dealloc_box %4";
    let lines: Vec<&str> = expected.lines().map(str::trim).collect();
    let found: Vec<&str> = text.lines().map(str::trim).collect();
    assert!(found.windows(lines.len()).any(|window| window == lines), "{text}");
}

/// The reference takes the result for initialized on both edges.
#[test]
fn results_are_initialized_on_the_normal_edge() {
    let call = |mark: &str, arms: &str| {
        initialized(&format!(
            "%s = alloc_stack $C\n%m = mark_uninitialized [var] %s\n%i = alloc_stack $C\n\
             store %0 to [init] %i\n%f = function_ref @fill : $@convention(thin) <T> (@in_guaranteed T) -> (@out T, @error any Error)\n\
             {mark}try_apply %f<C>(%m, %i) : $@convention(thin) <T> (@in_guaranteed T) -> (@out T, @error any Error), normal bb1, error bb2\n\
             bb2(%e : @owned $any Error):\ndestroy_addr %i\ndealloc_stack %i\ndestroy_addr %m\ndealloc_stack %s\nthrow %e\n\
             bb1(%u : $()):\n{arms}destroy_addr %m\ndestroy_addr %i\ndealloc_stack %i\ndealloc_stack %s"
        ))
    };
    let text = call("", "");
    assert_eq!(
        text.matches("destroy_addr %3\n").count() + text.matches("destroy_addr %4\n").count(),
        1,
        "{text}"
    );
    let text = call("cond_br %1, bb3, bb4\nbb4:\nbr bb5\nbb3:\n", "br bb5\nbb5:\n");
    let edge = "bb4(%20 : $()):\n  %21 = integer_literal $Builtin.Int1, -1\n  store %21 to [trivial] %3\n";
    assert!(text.contains("dynamic_lifetime") && text.contains(edge), "{text}");
}

/// Returns the body after the pass, and the number of errors.
fn diagnosed(insts: &str) -> (String, usize) {
    let (module, outcome) =
        testing::run_named(|tag| PASSES.find(tag), &format!("// definite-init\n{}", function(insts)));
    let text = testing::code(&module);
    (text[text.find("bb0(").expect("a body")..].to_owned(), outcome.problems.len())
}

/// Asserts that the pass changes nothing, and reports this number of errors.
#[track_caller]
fn assert_kept(errors: usize, insts: &str) {
    let (text, found) = diagnosed(insts);
    assert!(text.contains("assign %0 to %"), "{text}");
    assert!(!text.contains("[init]"), "{text}");
    assert_eq!(found, errors, "{text}");
}

#[test]
fn memory_that_is_used_too_early_is_kept() {
    assert_kept(
        1,
        "%s = alloc_stack $C\n%m = mark_uninitialized [var] %s\n%l = load [copy] %m\ndestroy_value %l\n\
         assign %0 to %m\ndestroy_addr %m\ndealloc_stack %s",
    );
    assert_kept(
        1,
        "%s = alloc_stack $S\n%m = mark_uninitialized [var] %s\n%p = struct_element_addr %m, #S.a\n\
         assign %0 to %p\ndestroy_addr %m\ndealloc_stack %s",
    );
    assert_kept(
        1,
        "%s = alloc_stack $C\n%m = mark_uninitialized [derivedself] %s\nassign %0 to %m\ndestroy_addr %m\n\
         dealloc_stack %s",
    );
}

#[test]
fn memory_whose_uses_are_not_understood_is_kept() {
    assert_kept(
        0,
        "%s = alloc_box ${ var C }\n%m = mark_uninitialized [var] %s\n%p = project_box %m, 0\n\
         assign %0 to %p\n%q = project_box %m, 0\ndestroy_value %m",
    );
}

/// The initializer of a class with a superclass that fails before, in and after the call of the superclass's.
const DERIVED: &str = "sil [ossa] @f : $@convention(method) (@owned D, @owned C, Builtin.Int64) -> (@owned D, @error any Error) {\n\
     bb0(%0 : @owned $D, %1 : @owned $C, %2 : $Builtin.Int64):\n\
     %s = alloc_stack $D\n\
     %m = mark_uninitialized [derivedself] %s\n\
     store %0 to [init] %m\n\
     %b = load_borrow %m\n\
     %n = ref_element_addr %b, #D.n\n\
     assign %2 to %n\n\
     end_borrow %b\n\
     %f = function_ref @may_fail : $@convention(thin) () -> (@owned C, @error any Error)\n\
     try_apply %f() : $@convention(thin) () -> (@owned C, @error any Error), normal bb1, error bb2\n\
     bb1(%k : @owned $C):\n\
     destroy_value %k\n\
     %b2 = load_borrow %m\n\
     %c = ref_element_addr %b2, #D.c\n\
     assign %1 to %c\n\
     end_borrow %b2\n\
     %l = load [take] %m\n\
     %u = upcast %l to $B\n\
     %i = function_ref @$s1m1BCACyKcfc : $@convention(method) (@owned B) -> (@owned B, @error any Error)\n\
     try_apply %i(%u) : $@convention(method) (@owned B) -> (@owned B, @error any Error), normal bb3, error bb4\n\
     bb2(%e : @owned $any Error):\n\
     destroy_value %1\n\
     br bb5(%e)\n\
     bb3(%o : @owned $B):\n\
     %d = unchecked_ref_cast %o to $D\n\
     store %d to [init] %m\n\
     %r = load [copy] %m\n\
     destroy_addr %m\n\
     dealloc_stack %s\n\
     return %r\n\
     bb4(%g : @owned $any Error):\n\
     br bb5(%g)\n\
     bb5(%h : @owned $any Error):\n\
     destroy_addr %m\n\
     dealloc_stack %s\n\
     throw %h\n\
     }\n";

/// The expected code is that of the reference for an initializer that it compiles itself: when it reads text, it does
/// not recognize calls of initializers that fail.
#[test]
fn objects_of_derived_classes_are_released_by_the_control_variable() {
    let head = "class B { init() throws }\nclass D : B { @_hasStorage final var c: C\n @_hasStorage final var n: Builtin.Int64 }\n\
        sil @may_fail : $@convention(thin) () -> (@owned C, @error any Error)\n\
        sil @$s1m1BCACyKcfc : $@convention(method) (@owned B) -> (@owned B, @error any Error)\n";
    let text = changed("definite-init", &[], &format!("{HEAD}{head}{DERIVED}"));
    let call = "  %28 = integer_literal $Builtin.Int4, 7\n  %29 = load [trivial] %3\n\
        \x20 %30 = builtin \"or_Int4\"(%29, %28) : $Builtin.Int4\n  store %30 to [trivial] %3\n  try_apply %27";
    let back = "(%36 : @owned $B):\n  %37 = integer_literal $Builtin.Int4, -8\n";
    let end = "  %74 = load [take] %5\n  %75 = metatype $@thick D.Type\n  dealloc_partial_ref %74, %75\n";
    for part in [call, back, end] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(text.matches("[deinit] [static]").count(), 2, "{text}");
}

/// If an argument of the initializer of the superclass fails, the compiler stores `self` back.
#[test]
fn objects_that_are_put_back_are_not_initialized() {
    let head = "class B { init() throws }\nclass D : B { @_hasStorage final var c: C\n @_hasStorage final var n: Builtin.Int64 }\n\
        sil @may_fail : $@convention(thin) () -> (@owned C, @error any Error)\n\
        sil @$s1m1BCACyKcfc : $@convention(method) (@owned B) -> (@owned B, @error any Error)\n";
    let argument = "%u = upcast %l to $B\n\
        try_apply %f() : $@convention(thin) () -> (@owned C, @error any Error), normal bb6, error bb7\n\
        bb6(%k2 : @owned $C):\ndestroy_value %k2\n";
    let fails = "bb7(%e2 : @owned $any Error):\n%back = unchecked_ref_cast %u to $D\nstore %back to [init] %m\nbr bb5(%e2)\nbb5(%h";
    let function = DERIVED.replacen("%u = upcast %l to $B\n", argument, 1).replacen("bb5(%h", fails, 1);
    let text = changed("definite-init", &[], &format!("{HEAD}{head}{function}"));
    // No error is found, and the object is destroyed as it was before it was taken.
    assert!(text.contains("dealloc_partial_ref"), "{text}");
}

/// A tuple with a pack expansion is one element.
#[test]
fn properties_with_packs_are_initialized_as_a_whole() {
    let text = changed(
        "definite-init",
        &[],
        "sil_stage raw\nimport Builtin\nstruct S<each T> { @_hasStorage var v: (repeat each T) }\n\
         sil [ossa] @f : $@convention(method) <each T> (@in (repeat each T)) -> @out S<repeat each T> {\n\
         bb0(%0 : $*S<repeat each T>, %1 : $*(repeat each T)):\n%s = alloc_stack $S<repeat each T>\n\
         %m = mark_uninitialized [rootself] %s\n%p = struct_element_addr %m, #S.v\n\
         copy_addr [take] %1 to %p\ncopy_addr [take] %m to [init] %0\ndealloc_stack %s\n%t = tuple ()\nreturn %t\n}\n",
    );
    assert!(text.contains("copy_addr [take] %1 to [init] %"), "{text}");
}

/// The standard library declares another `_HashTable`; an initializer in this module initializes the one of this module.
#[test]
fn names_of_library_types_mean_those_of_the_module() {
    let text = changed(
        "definite-init",
        &[],
        "sil_stage raw\nimport Builtin\nimport Swift\nclass C {}\nstruct _HashTable { @_hasStorage var c: C }\n\
         sil [ossa] @$s1A10_HashTableV1cAcA1CC_tcfC : $@convention(method) (@owned C) -> @owned _HashTable {\n\
         bb0(%0 : @owned $C):\n%s = alloc_stack $_HashTable\n%m = mark_uninitialized [rootself] %s\n\
         %p = struct_element_addr %m, #_HashTable.c\nassign %0 to %p\n%l = load [copy] %m\ndestroy_addr %m\n\
         dealloc_stack %s\nreturn %l\n}\n",
    );
    assert!(text.contains("assign %0 to [init] %"), "{text}");
}
