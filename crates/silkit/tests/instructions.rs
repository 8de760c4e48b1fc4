//! Typed instructions, roles and the builder, on the shipped examples and, where it is there, on the
//! corpus.

mod inputs;

use silkit::ir::info::Role;
use silkit::ir::instructions::{AnyInst, Apply, FunctionRef, Load, LoadQualifier, StructExtract};
use silkit::ir::{Body, BuildError, Inst, Module, Opcode, Point, Value};
use silkit::text::parse_module;
use silkit::types::{NoFacts, SilType, Type};

fn bodies(module: &Module) -> impl Iterator<Item = &Body> {
    module.functions.values().filter_map(|f| f.body.as_ref())
}

/// Returns the words of an instruction, lists in full.
fn words(body: &Body, inst: Inst) -> Vec<Vec<u32>> {
    let word = |(attr, &word): (&silkit::ir::info::AttrSpec, &u32)| {
        if attr.kind.is_list() { body.list(word).to_vec() } else { vec![word] }
    };
    body.info(inst).attrs.iter().zip(body.words(inst)).map(word).collect()
}

/// Returns the operands, without those for opened types, which the copy opens twice; and the number of those.
fn operands(body: &Body, inst: Inst) -> (Vec<Value>, usize) {
    let for_types = body.type_operands(inst).len();
    let count = body.operands(inst).len() - for_types;
    (body.operands(inst)[..count].iter().map(|o| o.value).collect(), for_types)
}

/// Reads every instruction by the names of its parts and makes it again of them.
fn rebuild(body: &Body, seen: &mut [usize]) {
    let mut copy = body.clone();
    let mut b = copy.builder(&NoFacts);
    let mut block = b.append_block();
    for inst in body.insts() {
        let view = body.view(inst);
        assert_eq!(view.opcode(), body.inst(inst).opcode);
        let types: Vec<SilType> = body.results(inst).map(|v| body.value(v).ty).collect();
        b.move_to(Point::End(block));
        let made = b.build_any(&view, &types).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(b.view(made), view);
        assert_eq!(words(&b, made), words(body, inst), "{view:?}");
        assert_eq!(operands(&b, made), operands(body, inst), "{view:?}");
        assert_eq!(b.inst(made).flags, body.inst(inst).flags, "{view:?}");
        assert!(b.results(made).map(|v| b.value(v).ty).eq(types));
        seen[view.opcode() as usize] += 1;
        if view.opcode().is_terminator() {
            block = b.append_block();
        }
    }
    copy.verify_integrity().unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn every_instruction_can_be_read_by_name_and_made_again() {
    let mut seen = vec![0; Opcode::ALL.len()];
    for (_, text) in inputs::all(600_000) {
        bodies(&parse_module(&text).module).for_each(|body| rebuild(body, &mut seen));
    }
    let kinds = seen.iter().filter(|&&n| n > 0).count();
    eprintln!("{kinds} kinds, {} instructions", seen.iter().sum::<usize>());
    assert!(kinds > 60, "{kinds}");
}

#[test]
fn roles_agree_with_types_and_scopes() {
    let mut counts = [0; 4];
    for (name, text) in inputs::all(600_000) {
        let module = parse_module(&text).module;
        for (body, inst) in bodies(&module).flat_map(|b| b.insts().map(move |i| (b, i))) {
            let view = body.view(inst);
            let result = body.first_result(inst).map(|v| body.value(v).ty);
            let operand = body.role_operand(inst).map(|v| body.value(v).ty);
            match body.role(inst) {
                Role::Marker(_) | Role::Copy(_) => {
                    assert!(result.is_some() && operand.is_some(), "{name}: {view:?}");
                    counts[0] += 1;
                }
                Role::Projection(_) => {
                    // A part of a value is a value; the place of a part comes from an address or a reference.
                    let to_value = operand.is_some_and(|t| !t.is_address());
                    assert!(
                        result.is_none_or(|t| t.is_unknown() || t.is_address() || to_value),
                        "{name}: {view:?}"
                    );
                    counts[1] += 1;
                }
                _ => {}
            }
            if let Some(begin) = body.scope_begin(inst) {
                assert!(body.scope_ends(begin).any(|end| end == inst), "{name}: {view:?}");
                counts[2] += 1;
            }
            if body.is_stack_deallocation(inst)
                && let Some(allocation) =
                    body.operands(inst).first().and_then(|o| body.defining_inst(o.value))
            {
                assert!(body.is_stack_allocation(allocation), "{name}: {:?}", body.view(allocation));
                assert!(body.deallocations(allocation).any(|end| end == inst), "{name}: {view:?}");
                counts[3] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&n| n > 10), "{counts:?}");
}

const POINT: &str = "import Swift
struct Point { var x: Int; var y: Int }
sil @add : $@convention(thin) (Int, Int) -> Int
sil [ossa] @f : $@convention(thin) (@in_guaranteed Point) -> Int {
bb0(%0 : $*Point):
  %1 = load [trivial] %0
  %2 = struct_extract %1, #Point.x
  return %2
}
";

#[test]
fn builds_with_inferred_types_and_clear_errors() {
    let mut module = parse_module(POINT).module;
    let facts = silkit::declarations(&module);
    let add = module.functions.values().next().map(|f| f.ty).expect("@add");
    let body = module.functions.values_mut().find_map(|f| f.body.as_mut()).expect("a body");
    let load = body.insts().next().expect("the load");
    let Some(Load { address, qualifier: Some(LoadQualifier::Trivial), .. }) = body.view_as(load) else {
        panic!("{:?}", body.view(load));
    };
    let extract: StructExtract = body.insts().find_map(|i| body.view_as(i)).expect("struct_extract");
    let exit = body.insts().find(|&i| body.is_function_exit(i)).expect("an exit");
    let AnyInst::Return(ret) = body.view(exit) else { panic!("{:?}", body.view(exit)) };

    let mut b = body.builder(&facts);
    assert_eq!(b.try_build(Load::new(address)), Err(BuildError::NoPoint { name: "load" }));
    b.move_to(Point::Before(exit));
    let again = b.struct_extract(extract.operand, extract.field);
    assert_eq!(b.value(again).ty, b.value(ret.operand).ty);
    let callee = b.function_ref("add", add);
    let sum = b.apply(callee, &[], &[ret.operand, again], add);
    assert_eq!(b.value(sum).ty.to_string(), "$Int");
    b.replace_uses_if(ret.operand, sum, |b, operand| b.operand(operand).user == exit);

    let error = b.try_build(Load::new(sum)).expect_err("no address");
    assert_eq!(
        error.to_string(),
        "cannot build `load`: its operand `address` has type `$Int`, which is not an address; store it first or use the \
         instruction for the other category"
    );
    let error = b.try_build(StructExtract::new(sum, extract.field)).expect_err("unknown type");
    assert!(error.to_string().contains("`struct_extract` with operands of types [`$Int`]"), "{error}");
    let typed =
        b.build_typed(StructExtract::new(sum, extract.field), &[SilType::object(Type::builtin("Int1"))]);
    let typed = typed.expect("its type was said");
    let inst = b.defining_inst(typed).expect("an instruction");
    b.remove(inst);
    let error = b.try_build(silkit::ir::instructions::Return::new(typed)).expect_err("a terminator follows");
    assert!(matches!(error, BuildError::Terminator { .. }), "{error}");
    assert!(matches!(b.try_build(StructExtract::new(typed, extract.field)), Err(BuildError::Removed { .. })));

    let printed = silkit::text::print_module(&module, &Default::default(), &|_| None);
    assert!(printed.contains("%5 = apply %4(%2, %3) : $@convention(thin) (Int, Int) -> Int"), "{printed}");
    assert!(printed.contains("return %5"), "{printed}");
    assert!(parse_module(&printed).errors.is_empty());
    let body = module.functions.values().find_map(|f| f.body.as_ref()).expect("a body");
    let call = body.insts().find(|&i| body.inst(i).opcode == Opcode::Apply).expect("apply");
    let apply: Apply<'_> = body.view_as(call).expect("apply");
    assert_eq!(apply.args.to_vec(), [ret.operand, again]);
    assert_eq!(body.def_as::<FunctionRef>(apply.callee).map(|f| f.function.as_str()), Some("add"));
}

#[test]
fn opened_types_are_uses_of_what_opened_them() {
    let text = "import Swift
protocol P {}
sil @g : $@convention(thin) <T where T : P> (@in_guaranteed T) -> ()
sil @f : $@convention(thin) (@in_guaranteed any P) -> () {
bb0(%0 : $*any P):
  %1 = open_existential_addr immutable_access %0 to $*@opened(\"01234567-89AB-CDEF-0123-000000000000\", any P) Self
  %2 = tuple ()
  return %2
}
";
    let mut module = parse_module(text).module;
    let callee_type = module.functions.values().next().map(|f| f.ty).expect("@g");
    let body = module.functions.values_mut().find_map(|f| f.body.as_mut()).expect("a body");
    let open = body.insts().next().and_then(|i| body.first_result(i)).expect("the address");
    let exit = body.insts().last().expect("an exit");
    let mut b = body.builder_at(Point::Before(exit), &NoFacts);
    let callee = b.function_ref("g", callee_type);
    let call = b.apply(callee, &[b.value(open).ty.ty()], &[open], callee_type);
    let call = b.defining_inst(call).expect("an instruction");
    assert_eq!(b.type_operands(call).len(), 1);
    assert_eq!(b.type_operands(call)[0].value, open);
    assert_eq!(b.origin(open, |role| matches!(role, Role::Projection(_))).root, b.entry_arguments()[0]);
}
