//! The table of opened types is correct after every change of a body.

use super::*;
use crate::{ArgFlags, Block, Cloner, Ownership, Point};
use silkit_types::NoFacts;

fn opened(id: &str) -> SilType {
    let kind = TypeKind::Opened {
        id: Symbol::new(id),
        existential: Type::nominal("P"),
        interface: Type::nominal("Self"),
    };
    SilType::object(Type::new(kind))
}

fn value(body: &Body, id: &str) -> Option<Value> {
    body.opened_value(Symbol::new(id))
}

/// Returns an entry block with an existential argument and a terminator.
fn entry() -> (Body, Block, Value) {
    let mut body = Body::new();
    let mut b = body.builder(&NoFacts);
    let entry = b.append_block();
    let ty = SilType::object(Type::nominal("P"));
    let argument = b.add_argument(entry, ty, Ownership::None, ArgFlags::empty());
    b.move_to(Point::End(entry));
    b.return_(argument);
    (body, entry, argument)
}

fn open(body: &mut Body, point: Point, argument: Value, id: &str) -> Value {
    body.builder_at(point, &NoFacts).open_existential_ref(argument, opened(id))
}

#[test]
fn every_builder_finds_what_was_opened() {
    let (mut body, entry, argument) = entry();
    assert_eq!(value(&body, "A"), None);
    let a = open(&mut body, Point::Start(entry), argument, "A");
    let end = body.last_inst(entry).unwrap();
    let slot = body.builder_at(Point::Before(end), &NoFacts).alloc_stack(opened("A"));
    assert_eq!(value(&body, "A"), Some(a));
    assert!(body.users(a).eq(body.defining_inst(slot)), "a type-dependent operand");
    assert_eq!(value(&Cloner::of(&body).body(), "A").map(|v| body.def(v)), Some(body.def(a)));
}

#[test]
fn what_is_removed_opens_nothing() {
    let (mut body, entry, argument) = entry();
    let a = open(&mut body, Point::Start(entry), argument, "A");
    let inst = body.defining_inst(a).unwrap();
    let end = body.last_inst(entry).unwrap();
    body.edit().move_inst(inst, Point::Before(end));
    assert_eq!(value(&body, "A"), Some(a), "moving is no removal");
    body.edit().remove(inst);
    assert_eq!(value(&body, "A"), None);
}

#[test]
fn the_last_of_several_counts() {
    let (mut body, entry, argument) = entry();
    let values = [(); 3].map(|()| open(&mut body, Point::Start(entry), argument, "A"));
    let remove = |body: &mut Body, value| {
        let inst = body.defining_inst(value).unwrap();
        body.edit().remove(inst);
    };
    assert_eq!(value(&body, "A"), Some(values[2]));
    remove(&mut body, values[1]);
    assert_eq!(value(&body, "A"), Some(values[2]), "one that was hidden");
    remove(&mut body, values[2]);
    assert_eq!(value(&body, "A"), Some(values[0]), "the one before is there again");
    remove(&mut body, values[0]);
    assert_eq!(value(&body, "A"), None);
}

#[test]
fn a_changed_type_is_another_one() {
    let (mut body, entry, argument) = entry();
    let a = open(&mut body, Point::Start(entry), argument, "A");
    let inst = body.defining_inst(a).unwrap();
    let attr = body.words(inst).len() - 1;
    body.edit().set_word(inst, attr, opened("B").as_u32());
    assert_eq!((value(&body, "A"), value(&body, "B")), (None, Some(a)));
    body.edit().remove(inst);
    body.edit().set_word(inst, attr, opened("C").as_u32());
    assert_eq!((value(&body, "B"), value(&body, "C")), (None, None), "it is in no block");
}

#[test]
fn removed_blocks_and_other_kinds_open_nothing() {
    let (mut body, entry, argument) = entry();
    let mut b = body.builder(&NoFacts);
    let other = b.append_block();
    b.move_to(Point::End(other));
    let a = b.open_existential_ref(argument, opened("A"));
    let inst = b.defining_inst(a).unwrap();
    b.unreachable();
    body.edit().remove_block(other);
    assert_eq!(value(&body, "A"), None);
    assert!(body.is_removed(inst));

    let a = open(&mut body, Point::Start(entry), argument, "A");
    let inst = body.defining_inst(a).unwrap();
    let ty = SilType::object(Type::nominal("Q"));
    body.edit().set_opcode(inst, Opcode::UncheckedRefCast, 0, &[ty.as_u32()]);
    assert_eq!(value(&body, "A"), None);
}

#[test]
fn dynamic_self_is_the_last_argument_of_the_entry() {
    let (mut body, entry, argument) = entry();
    let ty = SilType::object(Type::new(TypeKind::DynamicSelf(Type::nominal("C"))));
    let end = body.last_inst(entry).unwrap();
    assert!(!body.binds_self());
    let slot = body.builder_at(Point::Before(end), &NoFacts).alloc_stack(ty);
    assert!(body.binds_self());
    assert!(body.users(argument).any(|user| Some(user) == body.defining_inst(slot)));
    assert_eq!(value(&body, "@dynamic_self"), Some(argument));
    assert_eq!(value(&Body::new(), "@dynamic_self"), None);
}
