//! Cases that differ from the reference, and memory that is left as it is. `tests/ssa/definite_init.txt` has the others.

use crate::testing::changed;

const HEAD: &str = "sil_stage raw\nimport Builtin\nimport Swift\nclass C {}\n\
    struct S { var a: C\n var n: Builtin.Int64 }\n\
    sil @take : $@convention(thin) (@guaranteed C) -> ()\n\
    sil @fill : $@convention(thin) <T> (@in_guaranteed T) -> (@out T, @error any Error)\n";

/// Returns the body, after the pass, of a function with a `C`, a condition and a number.
fn initialized(insts: &str) -> String {
    let text = changed(
        "definite-init",
        &[],
        &format!(
            "{HEAD}sil [ossa] @f : $@convention(thin) (@owned C, Builtin.Int1, Builtin.Int64) -> @error any Error {{\n\
             bb0(%0 : @owned $C, %1 : $Builtin.Int1, %2 : $Builtin.Int64):\n{insts}\n\
             %r = tuple ()\nreturn %r\n}}\n"
        ),
    );
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

/// Asserts that the pass changes nothing.
#[track_caller]
fn assert_kept(insts: &str) {
    let text = initialized(insts);
    assert!(text.contains("assign %0 to %"), "{text}");
    assert!(!text.contains("[init]"), "{text}");
}

#[test]
fn memory_that_is_used_too_early_is_kept() {
    assert_kept(
        "%s = alloc_stack $C\n%m = mark_uninitialized [var] %s\n%l = load [copy] %m\ndestroy_value %l\n\
         assign %0 to %m\ndestroy_addr %m\ndealloc_stack %s",
    );
    assert_kept(
        "%s = alloc_stack $S\n%m = mark_uninitialized [var] %s\n%p = struct_element_addr %m, #S.a\n\
         assign %0 to %p\ndestroy_addr %m\ndealloc_stack %s",
    );
}

#[test]
fn memory_whose_uses_are_not_understood_is_kept() {
    assert_kept(
        "%s = alloc_stack $Optional<C>\n%m = mark_uninitialized [var] %s\n\
         %p = init_enum_data_addr %m, #Optional.some!enumelt\nassign %0 to %p\n\
         inject_enum_addr %m, #Optional.some!enumelt\ndestroy_addr %m\ndealloc_stack %s",
    );
    assert_kept(
        "%s = alloc_stack $C\n%m = mark_uninitialized [derivedself] %s\nassign %0 to %m\ndestroy_addr %m\n\
         dealloc_stack %s",
    );
}
