//! `lower-aggregate-instrs`: lowers instructions that copy or destroy loadable values in memory, and retains and
//! releases small structs and tuples memberwise.
//!
//! Copies and destroys in memory become loads and stores:
//!
//! ```text
//!   copy_addr [take] %0 to %1
//!   destroy_addr %2
//! ---
//!   %3 = load [take] %0
//!   store %3 to [assign] %1
//!   %5 = load [take] %2
//!   destroy_value %5
//! ```
//!
//! In a non-OSSA function, with `%0 : $Pair`, a struct of an object and a number:
//!
//! ```text
//!   retain_value %0
//!   release_value %0
//! ---
//!   %1 = struct_extract %0, #Pair.object
//!   strong_retain %1
//!   %3 = struct_extract %0, #Pair.number
//!   %4 = struct_extract %0, #Pair.object
//!   strong_release %4
//! ```

use silkit_ir::instructions::{self as inst, AnyInst, CopyAddr, LoadQualifier, StoreQualifier};
use silkit_ir::{Builder, Inst, Point, Value};
use silkit_pass::{FunctionContext, Pass, options};
use silkit_transform::counting::Counting;
use silkit_transform::destroy::{self, destroy_parts, retain_parts};
use silkit_types::decl::Declarations;
use silkit_types::{GenericSig, SilType};

pub(super) const PASS: Pass<'static> = Pass::function(
    "lower-aggregate-instrs",
    "Lowers `copy_addr`, `destroy_addr` and reference counting of aggregates to their fields",
    &run,
)
.with_options(&[options::LOWER_ALL_AGGREGATES, options::EXPAND_ALL]);

fn run(cx: &mut FunctionContext<'_>) {
    let given = cx.options();
    let lowering = Lowering {
        declarations: cx.declarations(),
        sig: cx.function().ty.ty().as_function().and_then(|ty| ty.sig),
        has_ossa: cx.function().has_ossa(),
        expands_all: given.is_on(options::LOWER_ALL_AGGREGATES) || given.is_on(options::EXPAND_ALL),
    };
    let insts: Vec<Inst> = cx.body().insts().filter(|&inst| lowering.lowers(cx, inst)).collect();
    for inst in insts {
        if !cx.may_change() {
            return;
        }
        lowering.lower(&mut cx.at(Point::Before(inst)), inst);
        cx.count("instructions lowered", 1);
    }
}

/// A function in which instructions are lowered.
struct Lowering<'d> {
    declarations: &'d Declarations,
    sig: Option<GenericSig>,
    has_ossa: bool,
    expands_all: bool,
}

impl Lowering<'_> {
    fn lowers(&self, cx: &FunctionContext<'_>, inst: Inst) -> bool {
        let body = cx.body();
        let ty = |value: Value| body.value(value).ty.ty();
        let is_loadable = |value| self.declarations.is_loadable(ty(value), self.sig) == Some(true);
        match body.view(inst) {
            AnyInst::CopyAddr(copy) => is_loadable(copy.source),
            AnyInst::DestroyAddr(destroy) => is_loadable(destroy.operand),
            AnyInst::RetainValue(retain) => self.expands(body.value(retain.operand).ty),
            AnyInst::ReleaseValue(release) => self.expands(body.value(release.operand).ty),
            _ => false,
        }
    }

    /// Returns true if values of a type are retained and released memberwise.
    fn expands(&self, ty: SilType) -> bool {
        match self.expands_all {
            true => destroy::may_be_expanded(self.declarations, ty.ty(), self.sig),
            false => destroy::is_expanded(self.declarations, ty.ty(), self.sig),
        }
    }

    fn lower(&self, builder: &mut Builder<'_>, inst: Inst) {
        match builder.view(inst) {
            AnyInst::CopyAddr(copy) if self.has_ossa => self.copy_owned(builder, copy),
            AnyInst::CopyAddr(copy) => self.copy(builder, copy),
            AnyInst::DestroyAddr(destroy) => self.destroy_memory(builder, destroy.operand),
            AnyInst::RetainValue(retain) => {
                retain_parts(builder, retain.operand, self.declarations, self.sig);
            }
            AnyInst::ReleaseValue(release) => {
                destroy_parts(builder, release.operand, self.declarations, self.sig, false);
            }
            _ => return,
        }
        builder.remove(inst);
    }

    fn is_trivial(&self, ty: SilType) -> bool {
        self.declarations.is_trivial(ty.ty(), self.sig) == Some(true)
    }

    fn copy_owned(&self, builder: &mut Builder<'_>, copy: CopyAddr) {
        let (load, store) = match (self.is_trivial(builder.value(copy.source).ty), copy.take, copy.init) {
            (true, ..) => (LoadQualifier::Trivial, StoreQualifier::Trivial),
            (_, true, true) => (LoadQualifier::Take, StoreQualifier::Init),
            (_, true, false) => (LoadQualifier::Take, StoreQualifier::Assign),
            (_, false, true) => (LoadQualifier::Copy, StoreQualifier::Init),
            (_, false, false) => (LoadQualifier::Copy, StoreQualifier::Assign),
        };
        let value = builder.build(inst::Load { qualifier: Some(load), ..inst::Load::new(copy.source) });
        let store = inst::Store { qualifier: Some(store), ..inst::Store::new(value, copy.destination) };
        builder.build(store);
    }

    fn copy(&self, builder: &mut Builder<'_>, copy: CopyAddr) {
        let new = builder.build(inst::Load::new(copy.source));
        let ty = builder.value(new).ty;
        let is_trivial = self.is_trivial(ty);
        if !is_trivial && !copy.take {
            match self.expands(ty) {
                true => retain_parts(builder, new, self.declarations, self.sig),
                false => Counting::of(self.declarations, ty, self.sig).retain(builder, new),
            }
        }
        if !is_trivial && !copy.init {
            let old = builder.build(inst::Load::new(copy.destination));
            let expands = self.expands(ty);
            destroy::destroy(builder, old, self.declarations, self.sig, false, expands);
        }
        builder.store(new, copy.destination);
    }

    fn destroy_memory(&self, builder: &mut Builder<'_>, address: Value) {
        let ty = builder.value(address).ty.to_object();
        if self.is_trivial(ty) {
            return;
        }
        let qualifier = self.has_ossa.then_some(LoadQualifier::Take);
        let value = builder.build(inst::Load { qualifier, ..inst::Load::new(address) });
        let expands = (self.expands_all || !self.has_ossa) && self.expands(ty);
        destroy::destroy(builder, value, self.declarations, self.sig, self.has_ossa, expands);
    }
}
