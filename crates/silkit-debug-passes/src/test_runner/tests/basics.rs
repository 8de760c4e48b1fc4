//! Tests of the test language itself, and tests that print entities.

use super::{Test, TestFn};
use crate::test_runner::arguments::Argument;
use silkit_analysis::DeadEnds;
use silkit_ir::Block;
use silkit_transform::stack_nesting::fix_stack_nesting;

pub(super) const TESTS: &[(&str, TestFn)] = &[
    ("dead_end_blocks", dead_end_blocks),
    ("dump_function", dump_function),
    ("has_any_dead_ends", has_any_dead_ends),
    ("instruction_move_before", instruction_move_before),
    ("stack_nesting_fixup", stack_nesting_fixup),
    ("test_specification_parsing", test_specification_parsing),
];

/// Prints its arguments. The first argument gives the kind of each of the others by a letter.
fn test_specification_parsing(test: &mut Test<'_, '_>) -> Result<(), String> {
    for letter in test.arguments.text()?.chars() {
        match letter {
            'V' => {
                let (function, value) = test.arguments.value_anywhere(test.cx.module())?;
                let text = test.dump_of(function).value(value, "");
                test.print(format!("value: {text}"));
            }
            'O' => match test.arguments.any()? {
                Argument::Operand(function, operand) => {
                    let body = test.body_of(function);
                    let index = body.operand_index(operand);
                    let text = test.dump_of(function).inst(body.operand(operand).user, "");
                    test.print(format!("operand: operand #{index} of {text}"));
                }
                _ => return Err("`O` expects an operand".to_owned()),
            },
            'I' => match test.arguments.any()? {
                Argument::Instruction(function, inst) => {
                    let text = test.dump_of(function).inst(inst, "");
                    test.print(format!("instruction: {text}"));
                }
                _ => return Err("`I` expects an instruction".to_owned()),
            },
            'A' => match test.arguments.any()? {
                Argument::Passed(function, value) => {
                    let text = test.dump_of(function).value(value, "");
                    test.print(format!("argument:\n{text}"));
                }
                _ => return Err("`A` expects a block argument".to_owned()),
            },
            'B' => match test.arguments.any()? {
                Argument::Block(function, block) => {
                    let text = test.dump_of(function).whole_block(block);
                    test.print(format!("block:\n{text}"));
                }
                _ => return Err("`B` expects a block".to_owned()),
            },
            'F' => match test.arguments.any()? {
                Argument::Function(function) => {
                    let name = test.cx.module().functions[function].name.as_str();
                    test.print(format!("function: {name}\n"));
                }
                _ => return Err("`F` expects a function".to_owned()),
            },
            'b' => {
                let value = test.arguments.bool()?;
                test.print(format!("bool: {value}\n"));
            }
            'u' => {
                let value = test.arguments.number()?;
                test.print(format!("uint: {value}\n"));
            }
            's' => {
                let value = test.arguments.text()?;
                test.print(format!("string: {value}\n"));
            }
            other => return Err(format!("unknown kind of argument `{other}`")),
        }
    }
    Ok(())
}

fn dump_function(test: &mut Test<'_, '_>) -> Result<(), String> {
    test.print_function();
    Ok(())
}

fn dead_end_blocks(test: &mut Test<'_, '_>) -> Result<(), String> {
    test.print_function();
    let dead_ends = test.get::<DeadEnds>().detach(test.body());
    let blocks: Vec<Block> = test.body().blocks().filter(|&b| dead_ends.is_dead_end(b)).collect();
    for block in blocks {
        let name = test.dump().block(block);
        test.print(format!("{name}\n"));
    }
    Ok(())
}

fn has_any_dead_ends(test: &mut Test<'_, '_>) -> Result<(), String> {
    let any = test.get::<DeadEnds>().of(test.body()).any();
    test.print(if any { "has dead ends\n" } else { "no dead ends\n" });
    Ok(())
}

/// Moves an instruction before another one.
fn instruction_move_before(test: &mut Test<'_, '_>) -> Result<(), String> {
    let (inst, before) = (test.instruction()?, test.instruction()?);
    let body = test.cx.module_mut().functions[test.function].body.as_mut();
    let body = body.expect("invariant: tests stand in bodies");
    body.edit().move_inst(inst, silkit_ir::Point::Before(before));
    Ok(())
}

/// Corrects the nesting of stack allocations, and prints the function.
fn stack_nesting_fixup(test: &mut Test<'_, '_>) -> Result<(), String> {
    let is_ossa = test.function().has_ossa();
    let body = test.cx.module_mut().functions[test.function].body.as_mut();
    let body = body.expect("invariant: tests stand in bodies");
    fix_stack_nesting(body, is_ossa).map_err(|error| format!("the stack cannot be nested: {error:?}"))?;
    test.print_function();
    Ok(())
}
