//! The module printer, in the order of the reference.

use super::debug_info::{DebugInfo, ScopeKey};
use crate::body::print::{BodyPrinter, Numbers};
use crate::effects::effect_texts;
use crate::options::PrintOptions;
use crate::ordered::in_order;
use crate::printer::{Demangle, Out, Shared};
use crate::source_map::SourceEntity;
use silkit_ir::{
    Body, Function, FunctionId, Global, Linkage, Module, Scope, ScopeParent, SilStage, SwiftText,
};
use silkit_types::decl::Declarations;
use std::convert::Infallible;
use std::ops::Range;
use std::rc::Rc;

/// Prints a module. `demangle` returns the demangled names for comments.
pub fn print_module(module: &Module, options: &PrintOptions, demangle: &Demangle) -> String {
    let mut whole = String::new();
    let Ok(()) = write_module(module, None, options, demangle, &mut |piece| -> Result<(), Infallible> {
        whole.push_str(piece);
        Ok(())
    });
    whole
}

/// Prints a module in pieces, in order, without holding the whole text in memory. Pieces are printed in parallel.
/// Without the declarations of the module, they are parsed when a comment needs them.
///
/// # Errors
/// Returns the first error of `write`, after which nothing more is written.
pub fn write_module<E: Send>(
    module: &Module,
    declarations: Option<&Declarations>,
    options: &PrintOptions,
    demangle: &Demangle,
    write: &mut (dyn FnMut(&str) -> Result<(), E> + Send),
) -> Result<(), E> {
    let mut functions: Vec<FunctionId> = module.functions.keys().collect();
    if options.sorted {
        functions.sort_by_key(|&id| module.functions[id].name.as_str());
    }
    let info = DebugInfo::of(module, options, &functions);
    let pieces = Piece::all(module, &functions);
    let shared = Shared::of_whole(module, declarations, demangle);
    let print = |piece: &Piece<'_>, out: &mut Out<'_>| {
        ModulePrinter::new(out, options).piece(module, piece, info.as_ref());
    };
    in_order(&pieces, &shared, &print, write)
}

/// A part of a module that is printed as a unit.
enum Piece<'a> {
    /// Everything before the functions.
    Head,
    Functions(&'a [FunctionId]),
    VTables(Range<usize>),
    WitnessTables(Range<usize>),
    /// Everything after the witness tables.
    Tail,
}

impl<'a> Piece<'a> {
    /// Returns the pieces of a module, in order.
    fn all(module: &Module, mut functions: &'a [FunctionId]) -> Vec<Self> {
        /// The number of instructions per piece: about 200 KB of text.
        const INSTS: usize = 1500;
        const TABLES: usize = 64;
        let mut pieces = vec![Self::Head];
        while !functions.is_empty() {
            let mut insts = 0;
            let size = |&id: &FunctionId| 8 + module.functions[id].body.as_ref().map_or(0, Body::inst_bound);
            let end = functions.iter().take_while(|&id| (insts < INSTS, insts += size(id)).0).count();
            let (piece, rest) = functions.split_at(end);
            pieces.push(Self::Functions(piece));
            functions = rest;
        }
        let ranges = |count: usize| (0..count).step_by(TABLES).map(move |at| at..(at + TABLES).min(count));
        pieces.extend(ranges(module.vtables.len()).map(Self::VTables));
        pieces.extend(ranges(module.witness_tables.len()).map(Self::WitnessTables));
        pieces.push(Self::Tail);
        pieces
    }
}

/// Prints one function as it would print in the module. The module may contain another version of it.
pub fn print_function(
    module: &Module,
    function: &Function,
    options: &PrintOptions,
    demangle: &Demangle,
) -> String {
    let shared = Shared::of(module, demangle);
    let mut out = Out::new(&shared);
    ModulePrinter::new(&mut out, options).function(function, None);
    out.take()
}

/// Prints one global variable as it would print in the module.
pub fn print_global(module: &Module, global: &Global, options: &PrintOptions, demangle: &Demangle) -> String {
    let shared = Shared::of(module, demangle);
    let mut out = Out::new(&shared);
    ModulePrinter::new(&mut out, options).global(global);
    out.take()
}

/// Prints one entity as it would print in the module.
pub(crate) fn print_entity(module: &Module, entity: SourceEntity, options: &PrintOptions, out: &mut Out<'_>) {
    let mut printer = ModulePrinter::new(out, options);
    match entity {
        SourceEntity::Stage => printer.out.push(&stage(module)),
        SourceEntity::Swift(i) => printer.swift(&module.swift[i]),
        SourceEntity::Function(id) => printer.function(&module.functions[id], None),
        SourceEntity::Global(i) => printer.global(&module.globals[i]),
        SourceEntity::VTable(i) => printer.vtable(&module.vtables[i]),
        SourceEntity::WitnessTable(i) => {
            printer.witness_table("sil_witness_table ", &module.witness_tables[i])
        }
        SourceEntity::DefaultWitnessTable(i) => {
            printer.witness_table("sil_default_witness_table ", &module.default_witness_tables[i]);
        }
        SourceEntity::DefaultOverrideTable(i) => printer.override_table(&module.default_override_tables[i]),
        SourceEntity::DifferentiabilityWitness(i) => {
            printer.differentiability_witness(&module.differentiability_witnesses[i]);
        }
        SourceEntity::Property(i) => printer.property(&module.properties[i]),
        SourceEntity::CoverageMap(i) => printer.coverage_map(&module.coverage_maps[i]),
        SourceEntity::Deinit(i) => printer.deinit(&module.deinits[i]),
        SourceEntity::Scope(i) => {
            let scope = &module.scopes[i];
            printer.scope(scope, |id| id.unwrap_or(scope.id));
        }
    }
}

fn stage(module: &Module) -> String {
    // A file without a stage is raw.
    format!("sil_stage {}\n\n", module.stage.unwrap_or(SilStage::Raw).spelling())
}

pub(super) struct ModulePrinter<'a, 'o> {
    pub(super) out: &'a mut Out<'o>,
    pub(super) options: &'a PrintOptions,
    /// The numbers in the body that was printed last, whose memory is used for the next one.
    numbers: Rc<Numbers>,
}

impl<'a, 'o> ModulePrinter<'a, 'o> {
    fn new(out: &'a mut Out<'o>, options: &'a PrintOptions) -> Self {
        Self { out, options, numbers: Rc::default() }
    }

    fn piece(&mut self, module: &Module, piece: &Piece<'_>, info: Option<&DebugInfo<'_>>) {
        match piece {
            Piece::Head => self.head(module),
            Piece::Functions(functions) => {
                for &id in *functions {
                    self.function(&module.functions[id], info.map(|info| (info, id)));
                }
            }
            Piece::VTables(range) => {
                let tables = module.vtables.values().skip(range.start).take(range.len());
                tables.for_each(|table| self.vtable(table));
            }
            Piece::WitnessTables(range) => {
                let tables = module.witness_tables.values().skip(range.start).take(range.len());
                tables.for_each(|table| self.witness_table("sil_witness_table ", table));
            }
            Piece::Tail => self.tail(module),
        }
    }

    /// Prints everything before the functions.
    fn head(&mut self, module: &Module) {
        self.out.push(&stage(module));
        module.swift.iter().filter(|s| !s.synthesized).for_each(|s| self.swift(s));
        for global in module.globals.values() {
            self.global(global);
        }
        for witness in &module.differentiability_witnesses {
            self.differentiability_witness(witness);
        }
        module.swift.iter().filter(|s| s.synthesized).for_each(|s| self.swift(s));
    }

    fn swift(&mut self, swift: &SwiftText) {
        self.out.push(&swift.text);
        self.out.push("\n\n");
    }

    pub(super) fn linkage(&mut self, linkage: Linkage) {
        let spelling = linkage.spelling();
        if !spelling.is_empty() {
            self.out.push(spelling);
            self.out.push(" ");
        }
    }

    fn function(&mut self, f: &Function, info: Option<(&DebugInfo<'_>, FunctionId)>) {
        if let Some((info, id)) = info {
            self.scopes(f, info, id);
        }
        self.out.push("// ");
        self.out.demangled(f.name);
        if let Some((info, id)) = info {
            if let Some(place) = info.function_place(f) {
                self.out.push(", loc ");
                self.out.source_loc(place);
            }
            self.out.push(", scope ");
            self.out.number(info.number(ScopeKey::Function(id)));
        }
        if let Some(clang) = f.attributes.clang {
            self.out.push("\n// clang name: ");
            self.out.push(clang.as_str());
        }
        self.out.push("\nsil ");
        // By default, definitions are public and declarations are public_external.
        let usual = if f.body.is_some() { Linkage::Public } else { Linkage::PublicExternal };
        if f.linkage != usual {
            self.linkage(f.linkage);
        }
        self.function_attributes(&f.attributes);
        self.out.global_name(f.name);
        self.out.push(" : ");
        self.out.sil_type(f.ty);
        let has_braces = f.body.is_some() || !f.effects.is_empty();
        if has_braces {
            self.out.push(" {");
        }
        self.out.push("\n");
        for effect in effect_texts(&f.effects) {
            self.out.push("[");
            self.out.push(&effect);
            self.out.push("]\n");
        }
        if let Some(body) = &f.body {
            BodyPrinter::renumbering(&mut self.numbers, body, self.out, self.options)
                .with_debug_info(info)
                .blocks();
        }
        if has_braces {
            self.out.push("} // end sil function '");
            self.out.push(f.name.as_str());
            self.out.push("'\n");
        }
        self.out.push("\n");
    }

    /// Prints the scopes that this function is the first to use.
    fn scopes(&mut self, f: &Function, info: &DebugInfo<'_>, id: FunctionId) {
        for &key in info.before(id) {
            let own = Scope {
                id: 0,
                loc: info.function_place(f),
                parent: Some(ScopeParent::Function(f.name, f.ty.with_canonical_signature())),
                inlined_at: None,
            };
            let scope = info.scope(key).unwrap_or(&own);
            self.scope(scope, |id| info.number(id.map_or(key, ScopeKey::Scope)));
        }
        self.out.push("\n");
    }

    fn global(&mut self, g: &Global) {
        self.out.push("// ");
        self.out.demangled(g.name);
        self.out.push("\nsil_global ");
        if g.linkage != Linkage::Public {
            self.linkage(g.linkage);
        }
        self.global_attributes(&g.attributes);
        self.out.global_name(g.name);
        self.out.push(" : ");
        self.out.sil_type(g.ty);
        if let Some(body) = &g.initializer {
            self.out.push(" = {\n");
            BodyPrinter::new(body, self.out, self.options).initializer();
            self.out.push("}\n");
        }
        self.out.push("\n\n");
    }
}
