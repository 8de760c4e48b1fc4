//! The arguments of `specify_test`: the name of a test and its arguments, which may refer to entities of functions.

use super::Traces;
use silkit_base::{Entity, Symbol};
use silkit_ir::{Block, Body, FunctionId, Inst, Module, Operand, Value, ValueDef};
use silkit_text::ModuleSourceMap;

/// An argument of a test.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Argument {
    /// A value of a function.
    Value(FunctionId, Value),
    /// An operand.
    Operand(FunctionId, Operand),
    /// An instruction.
    Instruction(FunctionId, Inst),
    /// A block argument.
    Passed(FunctionId, Value),
    /// A block.
    Block(FunctionId, Block),
    /// A function.
    Function(FunctionId),
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(u64),
    /// Any other word.
    Text(String),
}

impl Argument {
    /// Returns the name of the kind in messages.
    fn kind(&self) -> &'static str {
        match self {
            Self::Value(..) => "value",
            Self::Operand(..) => "operand",
            Self::Instruction(..) => "instruction",
            Self::Passed(..) => "block argument",
            Self::Block(..) => "block",
            Self::Function(_) => "function",
            Self::Bool(_) => "bool",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
        }
    }
}

/// Returns the words of a `specify_test` argument, as spelled.
pub(super) fn words(spelled: &'static str) -> Vec<String> {
    let mut text = String::with_capacity(spelled.len());
    let mut chars = spelled.chars();
    while let Some(c) = chars.next() {
        text.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            },
            c => c,
        });
    }
    text.split_whitespace().map(str::to_owned).collect()
}

/// The position of a test, to which references in its arguments are relative.
pub(super) struct Place<'p> {
    /// The module.
    pub(super) module: &'p mut Module,
    /// The values that the text names, if the module was parsed from text.
    pub(super) source_map: Option<&'p ModuleSourceMap>,
    /// The traced values of the functions that were visited; their traces are removed.
    pub(super) traces: &'p mut Traces,
    /// The function with the test.
    pub(super) function: FunctionId,
    /// The instruction after the test.
    pub(super) next: Inst,
}

/// The rest of a reference: parts separated by dots, such as `block[1]`.
struct Parts<'w> {
    word: &'w str,
    rest: std::iter::Peekable<std::vec::IntoIter<&'w str>>,
}

/// The number or name between brackets.
#[derive(Clone, Copy)]
enum Index<'w> {
    At(usize),
    Relative(isize),
    Name(&'w str),
}

impl<'w> Parts<'w> {
    /// Returns the name and index of the next part.
    fn next(&mut self) -> Result<Option<(&'w str, Option<Index<'w>>)>, String> {
        let Some(part) = self.rest.next() else { return Ok(None) };
        let Some((name, index)) = part.split_once('[') else { return Ok(Some((part, None))) };
        let text = index.strip_suffix(']').ok_or_else(|| self.error("has no closing `]`"))?;
        let index = if text.starts_with(['+', '-']) {
            Index::Relative(text.parse().map_err(|_| self.error("has an invalid offset"))?)
        } else if text.starts_with(|c: char| c.is_ascii_digit()) {
            Index::At(text.parse().map_err(|_| self.error("has an invalid index"))?)
        } else {
            Index::Name(text)
        };
        Ok(Some((name, Some(index))))
    }

    fn error(&self, what: &str) -> String {
        format!("`{}` {what}", self.word)
    }

    /// Returns the item of a list at an index; relative indices count from `here`.
    fn pick<T: Copy>(&self, items: &[T], index: Option<Index<'_>>, here: usize) -> Result<T, String> {
        let at = match index {
            None => Some(here),
            Some(Index::At(at)) => Some(at),
            Some(Index::Relative(by)) => here.checked_add_signed(by),
            Some(Index::Name(_)) => None,
        };
        at.and_then(|at| items.get(at)).copied().ok_or_else(|| self.error("refers to nothing"))
    }
}

impl Place<'_> {
    /// Returns the argument that a word denotes.
    pub(super) fn argument(&mut self, word: &str) -> Result<Argument, String> {
        if let Some(name) = word.strip_prefix('%') {
            let map = self.source_map.and_then(|map| map.function(self.function));
            let value = map.and_then(|map| map.named_value(Symbol::new(name)));
            let value = value.ok_or_else(|| format!("unknown value `{word}`"))?;
            return Ok(Argument::Value(self.function, value));
        }
        if let Some(reference) = word.strip_prefix('@') {
            let rest = split_parts(reference).into_iter().peekable();
            return self.reference(&mut Parts { word, rest });
        }
        Ok(match word {
            "true" => Argument::Bool(true),
            "false" => Argument::Bool(false),
            _ => word.parse().map_or_else(|_| Argument::Text(word.to_owned()), Argument::Number),
        })
    }

    fn body(&self, function: FunctionId) -> Result<&Body, String> {
        let function = &self.module.functions[function];
        function.body.as_ref().ok_or_else(|| format!("function `{}` has no body", function.name.as_str()))
    }

    fn reference(&mut self, parts: &mut Parts<'_>) -> Result<Argument, String> {
        let Some((name, index)) = parts.next()? else { return Err(parts.error("refers to nothing")) };
        let here = self.function;
        match name {
            "function" => self.function(parts, index),
            "block" => {
                let current = self.body(here)?.inst_block(self.next);
                self.block(parts, here, current, index)
            }
            "argument" => {
                let current = self.body(here)?.inst_block(self.next);
                self.block_argument(parts, here, current, index)
            }
            "instruction" => {
                let insts: Vec<Inst> = self.body(here)?.insts().collect();
                let next = insts.iter().position(|&i| i == self.next).unwrap_or(0);
                let inst = parts.pick(&insts, index, next)?;
                self.instruction(parts, here, inst)
            }
            _ => self.part_of_function(parts, here, name, index),
        }
    }

    fn function(&mut self, parts: &mut Parts<'_>, index: Option<Index<'_>>) -> Result<Argument, String> {
        let all: Vec<FunctionId> = self.module.functions.keys().collect();
        let function = match index {
            Some(Index::Name(name)) => {
                let named = |id: &&FunctionId| self.module.functions[**id].name.as_str() == name;
                *all.iter().find(named).ok_or_else(|| parts.error("refers to nothing"))?
            }
            index => parts.pick(&all, index, self.function.index())?,
        };
        match parts.next()? {
            None => Ok(Argument::Function(function)),
            Some(("block", index)) => {
                let entry = self.body(function)?.entry_block();
                let entry = entry.ok_or_else(|| parts.error("refers to nothing"))?;
                self.block(parts, function, entry, index)
            }
            Some((name, index)) => self.part_of_function(parts, function, name, index),
        }
    }

    /// Resolves `instruction`, `argument`, `operand` and `trace`, counted in a whole function.
    fn part_of_function(
        &mut self,
        parts: &mut Parts<'_>,
        function: FunctionId,
        name: &str,
        index: Option<Index<'_>>,
    ) -> Result<Argument, String> {
        match name {
            "trace" => {
                self.body(function)?;
                let traced = self.traces.of(self.module, function);
                let value = parts.pick(traced, index, 0)?;
                self.value(parts, function, value)
            }
            "instruction" => {
                let insts: Vec<Inst> = self.body(function)?.insts().collect();
                let inst = parts.pick(&insts, index, 0)?;
                self.instruction(parts, function, inst)
            }
            "argument" => {
                let entry = self.body(function)?.entry_block();
                let entry = entry.ok_or_else(|| parts.error("refers to nothing"))?;
                self.block_argument(parts, function, entry, index)
            }
            "operand" => {
                let first = self.body(function)?.insts().next();
                let first = first.ok_or_else(|| parts.error("refers to nothing"))?;
                self.operand(parts, function, first, index)
            }
            _ => Err(parts.error("refers to an unknown kind of entity")),
        }
    }

    fn block(
        &mut self,
        parts: &mut Parts<'_>,
        function: FunctionId,
        here: Block,
        index: Option<Index<'_>>,
    ) -> Result<Argument, String> {
        let body = self.body(function)?;
        let at = body.blocks().position(|b| b == here).unwrap_or(0);
        let block = parts.pick(&body.blocks().collect::<Vec<_>>(), index, at)?;
        match parts.next()? {
            None => Ok(Argument::Block(function, block)),
            Some(("instruction", index)) => {
                let insts: Vec<Inst> = body.block_insts(block).collect();
                let inst = parts.pick(&insts, index, 0)?;
                self.instruction(parts, function, inst)
            }
            Some(("argument", index)) => self.block_argument(parts, function, block, index),
            Some(_) => Err(parts.error("refers to an unknown part of a block")),
        }
    }

    fn block_argument(
        &self,
        parts: &mut Parts<'_>,
        function: FunctionId,
        block: Block,
        index: Option<Index<'_>>,
    ) -> Result<Argument, String> {
        let argument = parts.pick(self.body(function)?.arguments(block), index, 0)?;
        self.no_more(parts, Argument::Passed(function, argument))
    }

    fn instruction(
        &self,
        parts: &mut Parts<'_>,
        function: FunctionId,
        inst: Inst,
    ) -> Result<Argument, String> {
        match parts.next()? {
            None => Ok(Argument::Instruction(function, inst)),
            Some(("operand", index)) => self.operand(parts, function, inst, index),
            Some(("result", index)) => {
                let results: Vec<Value> = self.body(function)?.results(inst).collect();
                let value = parts.pick(&results, index, 0)?;
                self.value(parts, function, value)
            }
            Some(_) => Err(parts.error("refers to an unknown part of an instruction")),
        }
    }

    fn operand(
        &self,
        parts: &mut Parts<'_>,
        function: FunctionId,
        inst: Inst,
        index: Option<Index<'_>>,
    ) -> Result<Argument, String> {
        let operands: Vec<Operand> = self.body(function)?.operand_ids(inst).collect();
        let operand = parts.pick(&operands, index, 0)?;
        self.no_more(parts, Argument::Operand(function, operand))
    }

    fn value(&self, parts: &mut Parts<'_>, function: FunctionId, value: Value) -> Result<Argument, String> {
        let body = self.body(function)?;
        match (parts.next()?, body.def(value)) {
            (None, _) => Ok(Argument::Value(function, value)),
            (Some(("operand", index)), ValueDef::Result(inst, _)) => {
                self.operand(parts, function, inst, index)
            }
            (Some(("use", index)), _) => {
                let uses: Vec<Operand> = body.uses(value).collect();
                let operand = parts.pick(&uses, index, 0)?;
                self.no_more(parts, Argument::Operand(function, operand))
            }
            _ => Err(parts.error("refers to an unknown part of a value")),
        }
    }

    fn no_more(&self, parts: &mut Parts<'_>, argument: Argument) -> Result<Argument, String> {
        match parts.next()? {
            None => Ok(argument),
            Some(_) => Err(parts.error("has text after its end")),
        }
    }
}

/// Splits a reference at dots; a name in brackets may contain dots.
fn split_parts(text: &str) -> Vec<&str> {
    let mut is_inside = false;
    text.split(|c| {
        is_inside = (is_inside || c == '[') && c != ']';
        c == '.' && !is_inside
    })
    .collect()
}

/// The arguments of a test, consumed in order.
#[derive(Debug)]
pub(super) struct Arguments {
    all: std::vec::IntoIter<Argument>,
    function: FunctionId,
}

impl Arguments {
    pub(super) fn new(all: Vec<Argument>, function: FunctionId) -> Self {
        Self { all: all.into_iter(), function }
    }

    /// Returns true if there are more arguments.
    pub(super) fn has_more(&self) -> bool {
        self.all.len() > 0
    }

    /// Returns the next argument.
    pub(super) fn any(&mut self) -> Result<Argument, String> {
        self.all.next().ok_or_else(|| "the test expects more arguments".to_owned())
    }

    /// Returns true if there is a next argument and `is_kind` accepts it.
    pub(super) fn next_is(&self, is_kind: impl FnOnce(&Argument) -> bool) -> bool {
        self.all.as_slice().first().is_some_and(is_kind)
    }

    /// Skips the remaining arguments.
    pub(super) fn skip_rest(&mut self) {
        self.all = Vec::new().into_iter();
    }

    /// Returns the next argument, which must be a value, with its function.
    pub(super) fn value_anywhere(&mut self, module: &Module) -> Result<(FunctionId, Value), String> {
        match self.any()? {
            Argument::Value(function, value) | Argument::Passed(function, value) => Ok((function, value)),
            Argument::Instruction(function, inst) => {
                let body = module.functions[function].body.as_ref();
                let value = body.and_then(|body| body.first_result(inst));
                Ok((
                    function,
                    value.ok_or("the test expects a value, found an instruction without a result")?,
                ))
            }
            other => Err(wanted("value", &other)),
        }
    }

    /// Returns the next argument, which must be a value of the function with the test.
    pub(super) fn value(&mut self, module: &Module) -> Result<Value, String> {
        self.value_anywhere(module).and_then(|(function, value)| self.here(function, value))
    }

    /// Returns the next argument, which must be an instruction of the function with the test.
    pub(super) fn instruction(&mut self, module: &Module) -> Result<Inst, String> {
        match self.any()? {
            Argument::Instruction(function, inst) => self.here(function, inst),
            Argument::Value(function, value) => {
                let body = module.functions[function].body.as_ref();
                let inst = body.and_then(|body| body.defining_inst(value));
                self.here(function, inst.ok_or("no instruction defines the value")?)
            }
            other => Err(wanted("instruction", &other)),
        }
    }

    /// Returns the next argument, which must be an operand in the function with the test.
    pub(super) fn operand(&mut self) -> Result<Operand, String> {
        match self.any()? {
            Argument::Operand(function, operand) => self.here(function, operand),
            other => Err(wanted("operand", &other)),
        }
    }

    /// Returns the next argument, which must be a word.
    pub(super) fn text(&mut self) -> Result<String, String> {
        match self.any()? {
            Argument::Text(text) => Ok(text),
            other => Err(wanted("string", &other)),
        }
    }

    /// Returns the next argument, which must be a number.
    pub(super) fn number(&mut self) -> Result<u64, String> {
        match self.any()? {
            Argument::Number(number) => Ok(number),
            other => Err(wanted("number", &other)),
        }
    }

    /// Returns the next argument, which must be `true` or `false`.
    pub(super) fn bool(&mut self) -> Result<bool, String> {
        match self.any()? {
            Argument::Bool(value) => Ok(value),
            other => Err(wanted("bool", &other)),
        }
    }

    fn here<T>(&self, function: FunctionId, found: T) -> Result<T, String> {
        match function == self.function {
            true => Ok(found),
            false => Err("the test expects an entity of the function that contains it".to_owned()),
        }
    }
}

fn wanted(what: &str, found: &Argument) -> String {
    format!("the test expects a {what} argument, found a {}", found.kind())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_parts() {
        assert_eq!(words("a\\n  b \\\"c\\\""), ["a", "b", "\"c\""]);
        assert_eq!(split_parts("function[a.b].block[1].argument"), ["function[a.b]", "block[1]", "argument"]);
    }
}
