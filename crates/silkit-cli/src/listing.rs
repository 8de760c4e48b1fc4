//! The text of a program with the line numbers of its instructions, for reports that annotate lines.

use crate::input::Input;
use crate::swift;
use silkit::base::Entity as _;
use silkit::diag::OriginFrame;
use silkit::ir::{FunctionId, InlineStacks, Inst, Module};
use silkit::text::ModuleSourceMap;

/// The text of a program and the positions of its instructions.
pub(crate) struct Listing {
    /// The name of the file.
    pub(crate) name: String,
    /// The printed program.
    pub(crate) text: String,
    /// The program, as parsed from the text.
    pub(crate) module: Module,
    map: ModuleSourceMap,
    /// The start offset of each line.
    starts: Vec<u32>,
}

impl Listing {
    /// Creates the listing of an input: the original text, or the printed form of a binary file.
    pub(crate) fn new(input: Input) -> Self {
        let (text, module, map) = match input.text {
            Some(text) => (text, input.module, input.source_map),
            None => {
                let text = silkit::print(&input.module);
                let parsed = silkit::text::parse_module(&text);
                (text, parsed.module, parsed.source_map)
            }
        };
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Self { name: input.source, text, module, map, starts }
    }

    /// Returns the zero-based line number of an instruction.
    pub(crate) fn line(&self, function: FunctionId, inst: Inst) -> Option<usize> {
        let at = self.map.function(function)?.inst(inst)?;
        self.starts.partition_point(|&start| start <= at).checked_sub(1)
    }

    /// Returns the debug scopes of the program, for [`Self::origin`].
    pub(crate) fn stacks(&self) -> InlineStacks<'_> {
        InlineStacks::new(&self.module.scopes)
    }

    /// Returns the Swift positions of an instruction, the innermost first; none without debug information.
    pub(crate) fn origin(
        &self,
        stacks: &InlineStacks<'_>,
        function: FunctionId,
        inst: Inst,
    ) -> Vec<OriginFrame> {
        let body = self.module.functions[function].body.as_ref();
        body.map_or_else(Vec::new, |body| swift::origin(stacks, body, inst))
    }

    /// Returns the position of an instruction in its body.
    pub(crate) fn index(&self, function: FunctionId, inst: Inst) -> usize {
        let body = self.module.functions[function].body.as_ref();
        body.and_then(|body| body.insts().position(|other| other == inst)).unwrap_or(inst.index())
    }
}
