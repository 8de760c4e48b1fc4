//! What editing costs grows as the number of edits does, whatever they are.
//!
//! `cargo test -p silkit-ir --test growth -- --ignored --nocapture` shows times.

use silkit_base::Symbol;
use silkit_ir::generated::Opcode;
use silkit_ir::{ArgFlags, Block, Body, Inst, Loc, NewInst, Ownership, Point, Value};
use silkit_testkit::growth::{Scenario, check, time};
use silkit_types::{NoFacts, SilType, Type, TypeKind};
use std::hint::black_box;

fn int() -> SilType {
    SilType::object(Type::builtin("Int64"))
}

/// Returns a type that an instruction opens.
fn opened(number: usize) -> SilType {
    let kind = TypeKind::Opened {
        id: Symbol::new(&format!("{number:08X}-0000-0000-0000-000000000000")),
        existential: Type::nominal("P"),
        interface: Type::nominal("Self"),
    };
    SilType::object(Type::new(kind))
}

/// Returns one block with an argument that so many instructions use, and a terminator.
fn straight(count: usize) -> (Body, Vec<Inst>) {
    let mut body = Body::new();
    let mut b = body.builder(&NoFacts);
    let entry = b.append_block();
    let argument = b.add_argument(entry, int(), Ownership::None, ArgFlags::empty());
    b.move_to(Point::End(entry));
    let insts = (0..count).map(|_| copy(&mut b, Point::End(entry), argument)).collect();
    b.return_(argument);
    (body, insts)
}

fn copy(editor: &mut silkit_ir::Editor<'_>, point: Point, value: Value) -> Inst {
    let new = NewInst { operands: &[value], results: &[int()], ..NewInst::new(Opcode::CopyValue) };
    editor.insert(point, &new)
}

/// So many blocks in a row, each with an instruction and a branch to the next one.
fn chain(count: usize) -> (Body, Vec<Block>) {
    let (mut body, insts) = straight(count);
    let mut editor = body.edit();
    // From the back, where the rest of the block is short.
    for &inst in insts.iter().rev() {
        editor.split_block_with_branch(inst, Loc::NONE);
    }
    let blocks = body.blocks().collect();
    (body, blocks)
}

/// Changes of blocks, by name.
fn changes_of_blocks() -> Vec<(&'static str, Scenario)> {
    vec![
        ("split one block from its start", |n| {
            let (mut body, insts) = straight(n);
            Box::new(move || {
                for inst in insts {
                    body.edit().split_block_with_branch(inst, Loc::NONE);
                }
                black_box(body);
            })
        }),
        ("split one block from its end", |n| {
            let (mut body, insts) = straight(n);
            Box::new(move || {
                for &inst in insts.iter().rev() {
                    body.edit().split_block_with_branch(inst, Loc::NONE);
                }
                black_box(body);
            })
        }),
        ("split many blocks", |n| {
            let (mut body, blocks) = chain(n);
            Box::new(move || {
                for block in blocks {
                    let last = body.last_inst(block).expect("a terminator");
                    body.edit().split_block_with_branch(last, Loc::NONE);
                }
                black_box(body);
            })
        }),
        ("merge blocks from the first one", |n| {
            let (mut body, blocks) = chain(n);
            Box::new(move || {
                for &block in &blocks[1..] {
                    body.edit().merge_into_predecessor(block);
                }
                black_box(body);
            })
        }),
        ("merge blocks from the last one", |n| {
            let (mut body, blocks) = chain(n);
            Box::new(move || {
                for &block in blocks[1..].iter().rev() {
                    body.edit().merge_into_predecessor(block);
                }
                black_box(body);
            })
        }),
        ("move blocks to the front and to the end", |n| {
            let (mut body, blocks) = chain(n);
            Box::new(move || {
                for (i, &block) in blocks.iter().enumerate().skip(1) {
                    let other = if i % 2 == 0 { blocks[0] } else { body.last_block().expect("a block") };
                    if other != block {
                        body.edit().move_block_after(block, other);
                    }
                }
                black_box(body);
            })
        }),
        ("insert and remove blocks in the middle", |n| {
            let (mut body, blocks) = chain(n);
            Box::new(move || {
                let middle = blocks[n / 2];
                let new: Vec<Block> = (0..n).map(|_| body.edit().insert_block_after(middle)).collect();
                for block in new {
                    body.edit().remove_block(block);
                }
                black_box(body);
            })
        }),
    ]
}

/// Changes of instructions, by name.
fn changes_of_instructions() -> Vec<(&'static str, Scenario)> {
    vec![
        ("insert instructions before one", |n| insert(n, Point::Before)),
        ("insert instructions after one", |n| insert(n, Point::After)),
        ("move instructions to one place", |n| {
            let (mut body, insts) = straight(n);
            Box::new(move || {
                let middle = insts[n / 2];
                for &inst in insts.iter().filter(|&&inst| inst != middle) {
                    body.edit().move_inst(inst, Point::Before(middle));
                }
                black_box(body);
            })
        }),
        ("compare instructions while inserting", |n| {
            let (mut body, insts) = straight(n);
            Box::new(move || {
                let argument = body.entry_arguments()[0];
                let mut count = 0;
                for &inst in &insts {
                    let new = copy(&mut body.edit(), Point::Before(inst), argument);
                    count += usize::from(body.inst_precedes(new, inst) && body.inst_precedes(insts[0], new));
                }
                assert_eq!(count, n - 1);
            })
        }),
    ]
}

/// Ways to make instructions, by name.
fn ways_to_build() -> Vec<(&'static str, Scenario)> {
    vec![
        ("make a builder for each instruction", |n| {
            let (mut body, insts) = straight(n);
            let types = [opened(0)];
            Box::new(move || {
                let argument = body.entry_arguments()[0];
                let value = body
                    .builder_at(Point::Before(insts[0]), &NoFacts)
                    .open_existential_ref(argument, types[0]);
                for &inst in &insts {
                    body.builder_at(Point::Before(inst), &NoFacts).alloc_stack(types[0]);
                }
                assert_eq!(body.uses(value).count(), n);
            })
        }),
        ("open types", |n| {
            let (mut body, insts) = straight(n);
            let types: Vec<SilType> = (0..n).map(opened).collect();
            Box::new(move || {
                let argument = body.entry_arguments()[0];
                for (&ty, &inst) in types.iter().zip(&insts) {
                    let mut b = body.builder_at(Point::Before(inst), &NoFacts);
                    b.open_existential_ref(argument, ty);
                    b.alloc_stack(ty);
                }
                black_box(body);
            })
        }),
        ("build with one builder", |n| Box::new(move || _ = black_box(straight(n)))),
    ]
}

fn scenarios() -> impl Iterator<Item = (&'static str, Scenario)> {
    changes_of_blocks().into_iter().chain(changes_of_instructions()).chain(ways_to_build())
}

fn insert(n: usize, point: fn(Inst) -> Point) -> Box<dyn FnOnce()> {
    let (mut body, insts) = straight(n);
    Box::new(move || {
        let argument = body.entry_arguments()[0];
        for _ in 0..n {
            copy(&mut body.edit(), point(insts[n / 2]), argument);
        }
        black_box(body);
    })
}

/// Makes the allocator keep memory that is freed. It would get new pages from the system for large bodies, and only for these.
fn keep_memory() {
    drop(black_box(vec![1u8; 31 << 20]));
}

/// Small enough that the largest body fits into a cache, and large enough that what is quadratic shows.
const SIZE: usize = 6_000;

// One test: what runs at once would be measured, too.
#[test]
fn costs_grow_as_the_number_of_edits() {
    keep_memory();
    for (name, scenario) in scenarios() {
        if let Err(times) = check(SIZE, scenario) {
            panic!("{name}: {times:?}");
        }
    }
}

#[test]
#[ignore = "shows times"]
fn figures() {
    keep_memory();
    for (name, scenario) in scenarios() {
        let [a, b, c] = [SIZE, 2 * SIZE, 4 * SIZE].map(|n| time(scenario, n, 20).as_secs_f64() * 1e3);
        println!("{name:42} {a:9.2} {b:9.2} {c:9.2} ms  ×{:.2} ×{:.2}", b / a, c / b);
    }
}
