//! The numberings of arguments, on the example of the SIL Programmers' Manual: a closure that takes an
//! `Int`, captures a `T` and gives both, made and called, in lowered SIL and with opaque values.

use silkit::ir::conventions::{
    Addresses, ApplySite, ArgumentConvention as A, ArgumentRole as R, Conventions,
};
use silkit::ir::{Body, Inst, Module, Opcode, Ownership};
use silkit::text::parse_module;
use silkit::types::SilType;

const LOWERED: &str = "sil_stage canonical
import Swift
sil [ossa] @closure : $@convention(thin) <T> (Int, @in_guaranteed T) -> (Int, @out T) {
bb0(%0 : $*T, %1 : $Int, %2 : $*T):
  copy_addr %2 to [init] %0
  return %1
}
sil [ossa] @example : $@convention(thin) <T> (Int, @in_guaranteed T) -> (Int, @out T) {
bb0(%0 : $*T, %1 : $Int, %2 : $*T):
  %3 = function_ref @closure : $@convention(thin) <τ_0_0> (Int, @in_guaranteed τ_0_0) -> (Int, @out τ_0_0)
  %4 = alloc_stack $T
  copy_addr %2 to [init] %4
  %6 = partial_apply [callee_guaranteed] %3<T>(%4) : $@convention(thin) <τ_0_0> (Int, @in_guaranteed τ_0_0) -> (Int, @out τ_0_0)
  %7 = apply %6(%0, %1) : $@callee_guaranteed (Int) -> (Int, @out T)
  destroy_value %6
  dealloc_stack %4
  return %7
}
";

const OPAQUE: &str = "sil_stage raw
import Swift
sil [ossa] @closure : $@convention(thin) <T> (Int, @in_guaranteed T) -> (Int, @out T) {
bb0(%0 : $Int, %1 : @guaranteed $T):
  %2 = copy_value %1
  %3 = tuple (%0, %2)
  return %3
}
sil [ossa] @example : $@convention(thin) <T> (Int, @in_guaranteed T) -> (Int, @out T) {
bb0(%0 : $Int, %1 : @guaranteed $T):
  %2 = function_ref @closure : $@convention(thin) <τ_0_0> (Int, @in_guaranteed τ_0_0) -> (Int, @out τ_0_0)
  %3 = copy_value %1
  %4 = partial_apply [callee_guaranteed] %2<T>(%3) : $@convention(thin) <τ_0_0> (Int, @in_guaranteed τ_0_0) -> (Int, @out τ_0_0)
  %5 = apply %4(%0) : $@callee_guaranteed (Int) -> (Int, @out T)
  destroy_value %4
  return %5
}
";

fn read(text: &str) -> Module {
    let parsed = parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors.first());
    parsed.module
}

fn body<'m>(module: &'m Module, name: &str) -> &'m Body {
    let id = module.functions.find(&name.into()).expect("a function");
    module.functions[id].body.as_ref().expect("a body")
}

fn find(body: &Body, opcode: Opcode) -> Inst {
    body.insts().find(|&i| body.inst(i).opcode == opcode).expect("an instruction")
}

fn conventions(module: &Module, addresses: Addresses) -> Conventions<'static> {
    let id = module.functions.find(&"closure".into()).expect("a function");
    Conventions::of(&module.functions[id], addresses).expect("a function type")
}

/// The types of the entry's arguments are those that the conventions say.
fn agrees_with_entry(module: &Module, conventions: Conventions<'_>) {
    let body = body(module, "closure");
    let entry = body.entry_arguments();
    assert_eq!(entry.len(), conventions.argument_count());
    for (index, &argument) in entry.iter().enumerate() {
        assert_eq!(conventions.argument_type(index), Some(body.value(argument).ty), "{index}");
    }
}

#[test]
fn the_function_type_is_the_same_in_both() {
    let types = [LOWERED, OPAQUE].map(|text| {
        let module = read(text);
        module.functions.values().next().expect("a function").ty
    });
    assert_eq!(types[0], types[1]);
    let ty = types[0].ty().as_function().expect("a function type");
    assert_eq!((ty.params.len(), ty.results.len()), (2, 2));
}

#[test]
fn arguments_of_the_callee_in_lowered_sil() {
    let module = read(LOWERED);
    let c = conventions(&module, Addresses::Lowered);
    agrees_with_entry(&module, c);
    assert_eq!((c.argument_count(), c.indirect_result_count(), c.first_param_argument()), (3, 1, 1));
    assert_eq!(c.first_indirect_result_argument(), 0);
    assert_eq!(
        (0..4).map(|i| c.role(i)).collect::<Vec<_>>(),
        [Some(R::IndirectResult(1)), Some(R::Param(0)), Some(R::Param(1)), None]
    );
    assert_eq!((0..3).map(|i| c.argument_of_param(i)).collect::<Vec<_>>(), [Some(1), Some(2), None]);
    assert_eq!((0..4).map(|i| c.param_of_argument(i)).collect::<Vec<_>>(), [None, Some(0), Some(1), None]);
    assert_eq!((0..3).map(|i| c.argument_of_result(i)).collect::<Vec<_>>(), [None, Some(0), None]);
    assert_eq!(
        (0..3).map(|i| c.convention(i)).collect::<Vec<_>>(),
        [Some(A::Out), Some(A::Unowned), Some(A::InGuaranteed)]
    );
    assert_eq!(c.direct_result_type().to_string(), "$Int");
    assert_eq!((c.self_argument(), c.error_argument(), c.has_indirect_error()), (Some(2), None, false));
    assert_eq!(c.param(2).map(|p| p.ty), Some(c.ty.params[1].ty));
}

#[test]
fn arguments_of_the_callee_with_opaque_values() {
    let module = read(OPAQUE);
    let c = conventions(&module, Addresses::Opaque);
    agrees_with_entry(&module, c);
    assert_eq!((c.argument_count(), c.indirect_result_count(), c.first_param_argument()), (2, 0, 0));
    assert_eq!([0, 1, 2].map(|i| c.role(i)), [Some(R::Param(0)), Some(R::Param(1)), None]);
    assert_eq!([0, 1, 2].map(|i| c.argument_of_param(i)), [Some(0), Some(1), None]);
    assert_eq!([0, 1].map(|i| c.argument_of_result(i)), [None, None]);
    assert_eq!([0, 1].map(|i| c.convention(i)), [Some(A::Unowned), Some(A::Guaranteed)]);
    assert_eq!(c.direct_result_type().to_string(), "$(Int, T)");
    assert_eq!(c.self_argument(), Some(1));
}

/// Applied argument, operand and SIL argument of the callee, for all that are applied.
fn applied(site: &ApplySite<'_>) -> Vec<(usize, usize, usize, A)> {
    let all: Vec<_> = (0..site.applied_count())
        .map(|applied| {
            let operand = site.operand_of_applied(applied).expect("an operand");
            let argument = site.argument_of_applied(applied).expect("an argument");
            let convention = site.convention_of_applied(applied).expect("a convention");
            // Each translation has its inverse, and both ways around agree.
            assert_eq!(site.applied_of_operand(operand), Some(applied));
            assert_eq!(site.applied_of_argument(argument), Some(applied));
            assert_eq!(site.argument_of_operand(operand), Some(argument));
            assert_eq!(site.operand_of_argument(argument), Some(operand));
            assert_eq!(site.convention_of_operand(operand), Some(convention));
            assert_eq!(site.callee_conventions().and_then(|c| c.convention(argument)), Some(convention));
            (applied, operand, argument, convention)
        })
        .collect();
    let next = site.applied_count();
    assert_eq!((site.operand_of_applied(next), site.argument_of_applied(next)), (None, None));
    assert_eq!((site.callee_operand(), site.applied_of_operand(site.callee_operand())), (0, None));
    all
}

#[test]
fn making_the_closure_applies_its_last_argument() {
    for (text, addresses, argument, convention) in
        [(LOWERED, Addresses::Lowered, 2, A::InGuaranteed), (OPAQUE, Addresses::Opaque, 1, A::Guaranteed)]
    {
        let module = read(text);
        let body = body(&module, "example");
        let site = ApplySite::new(body, find(body, Opcode::PartialApply), addresses).expect("an apply site");
        assert!(!site.is_full());
        assert_eq!(applied(&site), [(0, 1, argument, convention)]);
        assert_eq!(site.first_applied_argument(), Some(argument));
        // What is not captured is applied elsewhere.
        assert!((0..argument).all(|i| site.applied_of_argument(i).is_none()));
        let captured = site.arguments().next().expect("a captured value");
        assert_eq!(site.self_value(), Some(captured));
        let entry = body.entry_arguments();
        assert_eq!(body.value(captured).ty, body.value(entry[argument]).ty);
    }
}

#[test]
fn calling_the_closure_applies_all_that_it_has_left() {
    let module = read(LOWERED);
    let lowered = body(&module, "example");
    let site =
        ApplySite::new(lowered, find(lowered, Opcode::Apply), Addresses::Lowered).expect("an apply site");
    assert!(site.is_full());
    assert_eq!(applied(&site), [(0, 1, 0, A::Out), (1, 2, 1, A::Unowned)]);
    assert_eq!(site.convention_of_operand(0), Some(A::Guaranteed), "the closure itself");

    let module = read(OPAQUE);
    let opaque = body(&module, "example");
    let site = ApplySite::new(opaque, find(opaque, Opcode::Apply), Addresses::Opaque).expect("an apply site");
    assert_eq!(applied(&site), [(0, 1, 0, A::Unowned)]);
}

#[test]
fn the_entry_of_a_new_function_follows_its_type() {
    for (text, addresses) in [(LOWERED, Addresses::Lowered), (OPAQUE, Addresses::Opaque)] {
        let module = read(text);
        let old = body(&module, "closure");
        let id = module.functions.find(&"closure".into()).expect("a function");
        let mut new = Body::new();
        let facts = silkit::declarations(&module);
        let mut b = new.builder(&facts);
        let entry = b.append_entry_block(&module.functions[id], addresses);
        let shape = |body: &Body, block| -> Vec<(SilType, Ownership)> {
            body.arguments(block).iter().map(|&v| (body.value(v).ty, body.value(v).ownership)).collect()
        };
        assert_eq!(shape(&b, entry), shape(old, old.entry_block().expect("a block")));
    }
}
