//! Passes and printers about effects, on files of cases. The first line of an input names the passes: `// dce mem2reg`.
//! The expected output is what they print, then the effects of the functions that have some.

use silkit_opt::PASSES;
use silkit_pass::testing::printed_and_effects;

fn run(input: &str) -> String {
    printed_and_effects(|tag| PASSES.find(tag), input)
}

silkit_testkit::case_files! { "tests/effects", run: escape side_effects }

/// Each link takes a pair apart and makes another one of both halves: the ways through are as many as 2 to the number of links.
#[test]
fn chains_of_pairs_take_linear_time() {
    let mut text = "// compute-side-effects compute-escape-effects\nsil_stage canonical\n\
        class C {}\nstruct Pair { var a: C\n var b: C }\n\
        sil @chain : $@convention(thin) (@guaranteed C) -> () {\nbb0(%0 : $C):\n\
        %s0 = struct $Pair (%0, %0)\n"
        .to_owned();
    for i in 0..2000 {
        text += &format!(
            "%a{i} = struct_extract %s{i}, #Pair.a\n%b{i} = struct_extract %s{i}, #Pair.b\n\
             %s{} = struct $Pair (%a{i}, %b{i})\n",
            i + 1
        );
    }
    text += "fix_lifetime %s2000\n%r = tuple ()\nreturn %r\n}\n";
    assert_eq!(run(&text), "@chain: [%0: noescape **, read v**.c*.v**] [global: ]\n");
}

/// Checks that walks end on unreachable values, which may be made of themselves.
#[test]
fn what_is_made_of_itself_ends() {
    let text = "// compute-side-effects compute-escape-effects\nsil_stage canonical\n\
        struct Box<T> { var a: T }\nclass C {}\n\
        sil @f : $@convention(thin) (@guaranteed C) -> () {\nbb0(%0 : $C):\n  %r = tuple ()\n  return %r\nbb1:\n\
        %1 = unchecked_ref_cast %2 to $C\n  %2 = unchecked_ref_cast %1 to $C\n  strong_retain %2\n  br bb1\n}\n";
    assert_eq!(run(text), "@f: [%0: noescape **] [global: ]\n");
}

/// New objects that all go to one place in memory, and references that go through one phi after the other.
#[test]
fn what_many_objects_go_through_is_looked_at_once() {
    let mut text = "// compute-side-effects\nsil_stage canonical\nimport Builtin\nclass C { var n: C }\n\
        sil @phis : $@convention(thin) (@guaranteed C, Builtin.Int1) -> () {\nbb0(%0 : $C, %1 : $Builtin.Int1):\n\
        %s = alloc_stack $C\n  br p0(%0)\n"
        .to_owned();
    for i in 0..4000 {
        text += &format!(
            "p{i}(%v{i} : $C):\n%a{i} = ref_element_addr %v{i}, #C.n\n%b{i} = load %a{i}\ncond_br %1, x{i}, y{i}\n\
             x{i}:\nbr p{}(%b{i})\ny{i}:\n%c{i} = alloc_ref $C\nstore %c{i} to %s\nbr p{}(%c{i})\n",
            i + 1,
            i + 1
        );
    }
    text += "p4000(%v : $C):\ndealloc_stack %s\n%r = tuple ()\nreturn %r\n}\n";
    assert_eq!(run(&text), "@phis: [%0: read c0.v**] [global: read]\n");
}
