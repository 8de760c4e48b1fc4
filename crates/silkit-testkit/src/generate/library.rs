//! The functions with fixed bodies that generated functions call: initializers, methods, closures, coroutines.

/// A function: its name, its type, and its body in OSSA.
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) ty: &'static str,
    body: &'static str,
}

/// Returns the type of a function of the library.
pub(super) fn type_of(name: &str) -> &'static str {
    FUNCTIONS.iter().find(|f| f.name == name).map_or("", |f| f.ty)
}

/// Returns the functions of the library, in OSSA or lowered.
pub(super) fn text(ossa: bool) -> String {
    let print = |f: &Function| {
        let attributes = if ossa { "[ossa] " } else { "" };
        let body = if ossa { f.body.to_owned() } else { lowered(f.body) };
        format!("\nsil {attributes}@{} : ${} {{\n{body}}}\n", f.name, f.ty)
    };
    FUNCTIONS.iter().map(print).collect()
}

/// Returns a library body without ownership. Library bodies do not copy or destroy values, and the name of a borrowed
/// value is the name of the original value with the suffix `b`.
fn lowered(body: &str) -> String {
    let keeps = |line: &&str| !line.contains("end_borrow") && !line.contains("begin_borrow");
    let lower = |line: &str| {
        let line = line.replace(" [trivial]", "").replace("load_borrow", "load").replace("%1b", "%1");
        let line = line.replace(": @closureCapture @guaranteed $", ": @closureCapture $");
        line.replace(": @owned $", ": $").replace(": @guaranteed $", ": $") + "\n"
    };
    body.lines().filter(keeps).map(lower).collect()
}

const FUNCTIONS: &[Function] = &[
    Function {
        name: "make_cell",
        ty: "@convention(thin) (Builtin.Int64) -> @owned Cell",
        body: "\
bb0(%0 : $Builtin.Int64):
  %1 = alloc_ref $Cell
  %1b = begin_borrow %1
  %3 = ref_element_addr %1b, #Cell.value
  store %0 to [trivial] %3
  end_borrow %1b
  return %1
",
    },
    Function {
        name: "make_leaf",
        ty: "@convention(thin) (Builtin.Int64) -> @owned Leaf",
        body: "\
bb0(%0 : $Builtin.Int64):
  %1 = alloc_ref $Leaf
  %1b = begin_borrow %1
  %3 = upcast %1b to $Cell
  %4 = ref_element_addr %3, #Cell.value
  store %0 to [trivial] %4
  end_borrow %1b
  return %1
",
    },
    Function {
        name: "make_square",
        ty: "@convention(thin) (Builtin.Int64) -> @owned Square",
        body: "\
bb0(%0 : $Builtin.Int64):
  %1 = alloc_ref $Square
  %1b = begin_borrow %1
  %3 = ref_element_addr %1b, #Square.side
  store %0 to [trivial] %3
  end_borrow %1b
  return %1
",
    },
    Function {
        name: "cell_rank",
        ty: "@convention(method) (@guaranteed Cell) -> Builtin.Int64",
        body: "\
bb0(%0 : @guaranteed $Cell):
  %1 = ref_element_addr %0, #Cell.value
  %2 = begin_access [read] [dynamic] %1
  %3 = load [trivial] %2
  end_access %2
  return %3
",
    },
    Function {
        name: "leaf_rank",
        ty: "@convention(method) (@guaranteed Leaf) -> Builtin.Int64",
        body: "\
bb0(%0 : @guaranteed $Leaf):
  %1 = integer_literal $Builtin.Int64, 7
  return %1
",
    },
    Function {
        name: "small_count",
        ty: "@convention(witness_method: Counter) (@in_guaranteed Small) -> Builtin.Int64",
        body: "\
bb0(%0 : $*Small):
  %1 = struct_element_addr %0, #Small.number
  %2 = load [trivial] %1
  return %2
",
    },
    Function {
        name: "large_count",
        ty: "@convention(witness_method: Counter) (@in_guaranteed Large) -> Builtin.Int64",
        body: "\
bb0(%0 : $*Large):
  %1 = struct_element_addr %0, #Large.cell
  %2 = load_borrow %1
  %3 = ref_element_addr %2, #Cell.value
  %4 = begin_access [read] [dynamic] %3
  %5 = load [trivial] %4
  end_access %4
  end_borrow %2
  return %5
",
    },
    Function {
        name: "square_area",
        ty: "@convention(witness_method: Shape) (@guaranteed Square) -> Builtin.Int64",
        body: "\
bb0(%0 : @guaranteed $Square):
  %1 = ref_element_addr %0, #Square.side
  %2 = load [trivial] %1
  %3 = builtin \"mul_Int64\"(%2, %2) : $Builtin.Int64
  return %3
",
    },
    Function {
        name: "copy_in_memory",
        ty: "@convention(thin) <T> (@in_guaranteed T) -> @out T",
        body: "\
bb0(%0 : $*T, %1 : $*T):
  copy_addr %1 to [init] %0
  %3 = tuple ()
  return %3
",
    },
    Function {
        name: "may_throw",
        ty: "@convention(thin) (Builtin.Int64) -> (Builtin.Int64, @error any Error)",
        body: "\
bb0(%0 : $Builtin.Int64):
  %1 = integer_literal $Builtin.Int64, 5
  %2 = builtin \"cmp_slt_Int64\"(%0, %1) : $Builtin.Int1
  cond_br %2, bb1, bb2
bb1:
  %4 = function_ref @make_error : $@convention(thin) (Builtin.Int64) -> @owned any Error
  %5 = apply %4(%0) : $@convention(thin) (Builtin.Int64) -> @owned any Error
  throw %5
bb2:
  return %1
",
    },
    Function {
        name: "make_error",
        ty: "@convention(thin) (Builtin.Int64) -> @owned any Error",
        body: "\
bb0(%0 : $Builtin.Int64):
  %1 = alloc_existential_box $any Error, $Code
  %2 = project_existential_box $Code in %1
  %3 = struct $Code (%0)
  store %3 to [trivial] %2
  return %1
",
    },
    Function {
        name: "lend_value",
        ty: "@yield_once @convention(thin) (@guaranteed Cell) -> @yields @inout Builtin.Int64",
        body: "\
bb0(%0 : @guaranteed $Cell):
  %1 = ref_element_addr %0, #Cell.value
  %2 = begin_access [modify] [dynamic] %1
  yield %2, resume bb1, unwind bb2
bb1:
  end_access %2
  %5 = tuple ()
  return %5
bb2:
  end_access %2
  unwind
",
    },
    Function {
        name: "lend_left",
        ty: "@yield_once @convention(thin) (@guaranteed Pair) -> @yields @guaranteed Cell",
        body: "\
bb0(%0 : @guaranteed $Pair):
  %1 = struct_extract %0, #Pair.left
  yield %1, resume bb1, unwind bb2
bb1:
  %3 = tuple ()
  return %3
bb2:
  unwind
",
    },
    Function {
        name: "add_rank",
        ty: "@convention(thin) (Builtin.Int64, @guaranteed Cell) -> Builtin.Int64",
        body: "\
bb0(%0 : $Builtin.Int64, %1 : @closureCapture @guaranteed $Cell):
  %2 = class_method %1, #Cell.rank : (Cell) -> () -> Builtin.Int64, $@convention(method) (@guaranteed Cell) -> Builtin.Int64
  %3 = apply %2(%1) : $@convention(method) (@guaranteed Cell) -> Builtin.Int64
  %4 = builtin \"add_Int64\"(%0, %3) : $Builtin.Int64
  return %4
",
    },
    Function {
        name: "add_number",
        ty: "@convention(thin) (Builtin.Int64, Builtin.Int64) -> Builtin.Int64",
        body: "\
bb0(%0 : $Builtin.Int64, %1 : @closureCapture $Builtin.Int64):
  %2 = builtin \"add_Int64\"(%0, %1) : $Builtin.Int64
  return %2
",
    },
    Function {
        name: "add_to_box",
        ty: "@convention(thin) (Builtin.Int64, @guaranteed { var Builtin.Int64 }) -> Builtin.Int64",
        body: "\
bb0(%0 : $Builtin.Int64, %1 : @closureCapture @guaranteed ${ var Builtin.Int64 }):
  %2 = project_box %1, 0
  %3 = begin_access [modify] [dynamic] %2
  %4 = load [trivial] %3
  %5 = builtin \"add_Int64\"(%0, %4) : $Builtin.Int64
  store %5 to [trivial] %3
  end_access %3
  return %5
",
    },
    Function {
        name: "double",
        ty: "@convention(thin) (Builtin.Int64) -> Builtin.Int64",
        body: "\
bb0(%0 : $Builtin.Int64):
  %1 = builtin \"add_Int64\"(%0, %0) : $Builtin.Int64
  return %1
",
    },
    Function {
        name: "call_closure",
        ty: "@convention(thin) (@guaranteed @callee_guaranteed (Builtin.Int64) -> Builtin.Int64, Builtin.Int64) -> Builtin.Int64",
        body: "\
bb0(%0 : @guaranteed $@callee_guaranteed (Builtin.Int64) -> Builtin.Int64, %1 : $Builtin.Int64):
  %2 = apply %0(%1) : $@callee_guaranteed (Builtin.Int64) -> Builtin.Int64
  return %2
",
    },
    Function {
        name: "call_in_place",
        ty: "@convention(thin) (@guaranteed @noescape @callee_guaranteed (Builtin.Int64) -> Builtin.Int64) -> Builtin.Int64",
        body: "\
bb0(%0 : @guaranteed $@noescape @callee_guaranteed (Builtin.Int64) -> Builtin.Int64):
  %1 = integer_literal $Builtin.Int64, 11
  %2 = apply %0(%1) : $@noescape @callee_guaranteed (Builtin.Int64) -> Builtin.Int64
  return %2
",
    },
];
