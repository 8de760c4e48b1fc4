//! Thunks, witnesses, specializations: entities derived from declarations.

use super::{Printer, Style};
use crate::node::{Kind, NodeId};
use crate::scratch::Scratch;

/// Words, and the child after each.
type Template = (&'static [&'static str], &'static [usize]);

/// Returns the template of a kind that prints as words around its children.
fn template(kind: Kind) -> Option<Template> {
    use Kind::*;
    Some(match kind {
        ProtocolWitness => (&["protocol witness for ", " in conformance "], &[1, 0]),
        VTableThunk => (&["vtable thunk for ", " dispatching to "], &[1, 0]),
        FieldOffset => (&["", "field offset for "], &[0, 1]),
        AssociatedConformanceDescriptor => {
            (&["associated conformance descriptor for ", ".", ": "], &[0, 1, 2])
        }
        DefaultAssociatedConformanceAccessor => {
            (&["default associated conformance accessor for ", ".", ": "], &[0, 1, 2])
        }
        BaseConformanceDescriptor => (&["base conformance descriptor for ", ": "], &[0, 1]),
        AssociatedTypeMetadataAccessor => (&["associated type metadata accessor for ", " in "], &[1, 0]),
        AssociatedTypeWitnessTableAccessor => {
            (&["associated type witness table accessor for ", " : ", " in "], &[1, 2, 0])
        }
        BaseWitnessTableAccessor => (&["base witness table accessor for ", " in "], &[1, 0]),
        LazyProtocolWitnessTableAccessor => {
            (&["lazy protocol witness table accessor for type ", " and conformance "], &[0, 1])
        }
        LazyProtocolWitnessTableCacheVariable => {
            (&["lazy protocol witness table cache variable for type ", " and conformance "], &[0, 1])
        }
        _ => return None,
    })
}

/// Returns the text of a marker that the simplified form omits.
fn hidden_mark(kind: Kind) -> Option<&'static str> {
    use Kind::*;
    Some(match kind {
        MergedFunction => "merged ",
        DynamicallyReplaceableFunctionImpl => "dynamically replaceable thunk for ",
        DynamicallyReplaceableFunctionKey => "dynamically replaceable key for ",
        DynamicallyReplaceableFunctionVar => "dynamically replaceable variable for ",
        DistributedThunk => "distributed thunk ",
        DistributedAccessor => "distributed accessor for ",
        AccessibleFunctionRecord => "accessible function runtime record for ",
        BackDeploymentThunk => "back deployment thunk for ",
        _ => return None,
    })
}

impl Printer<'_> {
    pub(super) fn is_derived(&self, kind: Kind) -> bool {
        let (low, high) = (Kind::PartialApplyForwarder as u16, Kind::GlobalVariableOnceDeclList as u16);
        (low..=high).contains(&(kind as u16))
    }

    pub(super) fn derived(&mut self, node: NodeId, kind: Kind) {
        use Kind::*;
        if let Some(words) = hidden_mark(kind) {
            if self.full {
                self.push(words);
            }
            return;
        }
        if let Some((words, children)) = template(kind) {
            self.interleaved(node, words, children);
            return;
        }
        match kind {
            PartialApplyForwarder | PartialApplyObjCForwarder => {
                self.push(match (self.full, kind) {
                    (false, _) => "partial apply",
                    (true, PartialApplyForwarder) => "partial apply forwarder",
                    (true, _) => "partial apply ObjC forwarder",
                });
                if !self.tree.children(node).is_empty() {
                    self.push(" for ");
                    self.children(node, "");
                }
            }
            AsyncAwaitResumePartialFunction => {
                self.resume_function(node, ") await resume partial function for ")
            }
            AsyncSuspendResumePartialFunction => {
                self.resume_function(node, ") suspend resume partial function for ")
            }
            OutlinedVariable | OutlinedReadOnlyObject => {
                self.push(if kind == OutlinedVariable {
                    "outlined variable #"
                } else {
                    "outlined read-only object #"
                });
                self.number(self.tree.index(node).unwrap_or_default());
                self.push(" of ");
            }
            OutlinedBridgedMethod => {
                self.push("outlined bridged method (");
                self.payload(node);
                self.push(") of ");
            }
            ValueWitness => {
                let middle = if self.full { " value witness for " } else { " for " };
                self.interleaved(node, &["", middle], &[0, 1]);
            }
            GlobalVariableOnceFunction | GlobalVariableOnceToken => {
                self.push(if kind == GlobalVariableOnceFunction {
                    "one-time initialization function for "
                } else {
                    "one-time initialization token for "
                });
                self.nth(node, 1);
            }
            GlobalVariableOnceDeclList => {
                let tree = self.tree;
                if let [one] = tree.children(node) {
                    self.node(*one);
                } else {
                    self.push("(");
                    self.children(node, ", ");
                    self.push(")");
                }
            }
            ReabstractionThunk | ReabstractionThunkHelper | ReabstractionThunkHelperWithSelf => {
                self.reabstraction(node, kind);
            }
            ReabstractionThunkHelperWithGlobalActor => {
                self.nth(node, 0);
                self.push(" with global actor constraint ");
                self.nth(node, 1);
            }
            KeyPathGetterThunkHelper
            | KeyPathSetterThunkHelper
            | KeyPathUnappliedMethodThunkHelper
            | KeyPathAppliedMethodThunkHelper => self.key_path_accessor(node, kind),
            KeyPathEqualsThunkHelper | KeyPathHashThunkHelper => self.key_path_operator(node, kind),
            ObjCAsyncCompletionHandlerImpl => self.completion_handler(node),
            GenericSpecialization
            | GenericSpecializationNotReAbstracted
            | GenericSpecializationInResilienceDomain
            | GenericSpecializationPrespecialized
            | InlinedGenericFunction
            | GenericPartialSpecialization
            | GenericPartialSpecializationNotReAbstracted
            | FunctionSignatureSpecialization => self.specialization(node, kind),
            AutoDiffFunction
            | AutoDiffDerivativeVTableThunk
            | AutoDiffSelfReorderingReabstractionThunk
            | AutoDiffSubsetParametersThunk
            | DifferentiabilityWitness => self.autodiff(node, kind),
            IndexSubset => self.index_subset(node),
            IsSerialized => self.push("serialized"),
            _ => self.children(node, ""),
        }
    }

    fn resume_function(&mut self, node: NodeId, words: &str) {
        if self.full {
            self.push("(");
            self.nth(node, 0);
            self.push(words);
        }
    }

    /// Prints words, each before one child.
    fn interleaved(&mut self, node: NodeId, words: &[&str], children: &[usize]) {
        for (words, &child) in words.iter().zip(children) {
            self.push(words);
            self.nth(node, child);
        }
    }

    fn reabstraction(&mut self, node: NodeId, kind: Kind) {
        let signature = self.tree.child_of(node, Kind::DependentGenericSignature);
        if kind == Kind::ReabstractionThunkHelperWithSelf {
            self.push("reabstraction thunk ");
        } else if !self.full {
            self.push("thunk for ");
            self.nth(node, 0);
            return;
        } else {
            self.push("reabstraction thunk ");
            if kind == Kind::ReabstractionThunkHelper {
                self.push("helper ");
            }
        }
        if let Some(signature) = signature {
            self.node(signature);
            self.push(" ");
        }
        self.interleaved(node, &["from ", " to "], &[0, 1]);
        if kind == Kind::ReabstractionThunkHelperWithSelf {
            self.push(" self ");
            self.nth(node, 2);
        }
    }

    fn key_path_accessor(&mut self, node: NodeId, kind: Kind) {
        self.push(match kind {
            Kind::KeyPathGetterThunkHelper => "key path getter for ",
            Kind::KeyPathSetterThunkHelper => "key path setter for ",
            Kind::KeyPathUnappliedMethodThunkHelper => "key path unapplied method ",
            _ => "key path applied method ",
        });
        let tree = self.tree;
        self.nth(node, 0);
        self.push(" : ");
        for &child in tree.children(node).iter().skip(1) {
            if self.kind(child) == Kind::IsSerialized {
                self.push(", ");
            }
            self.node(child);
        }
    }

    fn key_path_operator(&mut self, node: NodeId, kind: Kind) {
        let tree = self.tree;
        self.push(if kind == Kind::KeyPathEqualsThunkHelper {
            "key path index equality operator for "
        } else {
            "key path index hash operator for "
        });
        let types: Vec<NodeId> =
            tree.children(node).iter().copied().filter(|&c| self.kind(c) == Kind::Type).collect();
        if let Some(signature) = tree.child_of(node, Kind::DependentGenericSignature) {
            self.node(signature);
        }
        self.push("(");
        self.list(&types, ", ");
        self.push(")");
    }

    fn completion_handler(&mut self, node: NodeId) {
        if self.tree.index(node) == Some(1) {
            self.push("predefined ");
        }
        self.push("@objc completion handler block implementation for ");
        if let Some(signature) = self.tree.child_of(node, Kind::DependentGenericSignature) {
            self.node(signature);
        }
        self.interleaved(node, &["", " with result type "], &[0, 1]);
        match self.tree.child_of(node, Kind::Index).and_then(|i| self.tree.index(i)) {
            Some(1) => self.push(" nonzero on error"),
            Some(2) => self.push(" zero on error"),
            _ => {}
        }
    }

    fn specialization(&mut self, node: NodeId, kind: Kind) {
        use Kind::*;
        if !self.full {
            if !self.specialized {
                self.push("specialized ");
                self.specialized = true;
            }
            return;
        }
        if self.tree.child_of(node, RepresentationChanged).is_some() {
            self.push("representation changed of ");
            return;
        }
        self.push(match kind {
            GenericSpecialization | GenericSpecializationInResilienceDomain => "generic specialization <",
            GenericSpecializationNotReAbstracted => "generic not re-abstracted specialization <",
            GenericSpecializationPrespecialized => "generic pre-specialization <",
            InlinedGenericFunction => "inlined generic function <",
            GenericPartialSpecialization => "generic partial specialization <",
            GenericPartialSpecializationNotReAbstracted => {
                "generic not-reabstracted partial specialization <"
            }
            _ => "function signature specialization <",
        });
        let partial =
            matches!(kind, GenericPartialSpecialization | GenericPartialSpecializationNotReAbstracted);
        let mut first = true;
        let mut argument = 0;
        for &child in self.tree.children(node) {
            let separated = |p: &mut Self, first: &mut bool| {
                if !*first {
                    p.push(", ");
                }
                *first = false;
            };
            match self.kind(child) {
                SpecializationPassID | DroppedArgument => {}
                // The reference counts this attribute as an argument.
                AsyncRemoved => argument += 1,
                IsSerialized => {
                    separated(self, &mut first);
                    self.push("serialized");
                }
                kind => {
                    if !self.tree.children(child).is_empty() {
                        separated(self, &mut first);
                        match kind {
                            FunctionSignatureSpecializationParam => {
                                self.push("Arg[");
                                self.number(argument);
                                self.push("] = ");
                                self.specialized_argument(child);
                            }
                            FunctionSignatureSpecializationReturn => {
                                self.push("Return = ");
                                self.specialized_argument(child);
                            }
                            _ => {
                                if partial {
                                    self.push("Signature = ");
                                }
                                self.substituted(child);
                            }
                        }
                    }
                    argument += 1;
                }
            }
        }
        self.push("> of ");
    }

    /// Prints the substitution of a parameter, with the conformances that the old mangling includes.
    fn substituted(&mut self, node: NodeId) {
        let tree = self.tree;
        for (n, &child) in tree.children(node).iter().enumerate() {
            self.push(match n {
                0 => "",
                1 => " with ",
                _ => " and ",
            });
            self.node(child);
        }
    }

    /// Prints what was done to an argument: several parts if it is a constant struct.
    fn specialized_argument(&mut self, node: NodeId) {
        let tree = self.tree;
        let mut parts = tree.children(node);
        while !parts.is_empty() {
            let is_kind = |&child: &NodeId| tree.kind(child) == Kind::ParamKind;
            let end = parts.iter().skip(1).position(is_kind).map_or(parts.len(), |at| at + 1);
            let (part, rest) = parts.split_at(end);
            self.specialized_part(part);
            parts = rest;
        }
    }

    /// Prints a kind and its operands.
    fn specialized_part(&mut self, part: &[NodeId]) {
        let tree = self.tree;
        let what = tree.text(part[0]).unwrap_or_default();
        let payload = |n: usize| part.get(n).and_then(|&c| tree.text(c)).unwrap_or_default();
        self.push(what);
        if !what.starts_with('[') {
            return;
        }
        if what.starts_with("[Closure") {
            self.symbol(payload(1));
            self.push(", Argument Types : [");
            self.list(&part[2..], "");
        } else if what.starts_with("[Constant Propagated String") {
            self.push(payload(1));
            self.push("'");
            self.push(payload(2));
            self.push("'");
        } else if what.contains("KeyPath") {
            self.push(payload(1));
            self.push("<");
            self.list(&part[2..], ",");
            self.push(">");
        } else if what.contains("Struct") {
            self.list(&part[1..], "");
        } else {
            self.symbol(payload(1));
        }
        self.push("]");
    }

    /// Prints a nested symbol, demangled if possible.
    fn symbol(&mut self, name: &str) {
        // It may contain symbols again: each is shorter than the enclosing one, and the nesting is limited.
        if self.depth >= 64 {
            self.push(name);
            return;
        }
        Scratch::with(|scratch| self.push(scratch.demangle(name, Style::Full, false).unwrap_or(name)));
    }

    fn autodiff(&mut self, node: NodeId, kind: Kind) {
        use Kind::*;
        let tree = self.tree;
        let children = tree.children(node);
        let subsets: Vec<NodeId> =
            children.iter().copied().filter(|&c| self.kind(c) == IndexSubset).collect();
        let function = tree.child_of(node, AutoDiffFunctionKind);
        let signature = tree.child_of(node, DependentGenericSignature);
        let operands: Vec<NodeId> = children
            .iter()
            .copied()
            .take_while(|&c| {
                !matches!(
                    self.kind(c),
                    AutoDiffFunctionKind | IndexSubset | Index | DependentGenericSignature
                )
            })
            .collect();
        match kind {
            AutoDiffSelfReorderingReabstractionThunk => {
                self.push("autodiff self-reordering reabstraction thunk ");
                if !self.full {
                    self.push("for ");
                    self.nth(node, 0);
                    return;
                }
                self.push("for ");
                self.list(function.as_slice(), "");
                if let Some(signature) = signature {
                    self.push(" ");
                    self.node(signature);
                }
                self.push(" from ");
                self.nth(node, 0);
                self.push(" to ");
                self.nth(node, 1);
            }
            AutoDiffSubsetParametersThunk => {
                self.push("autodiff subset parameters thunk for ");
                self.list(function.as_slice(), "");
                self.push(" from ");
                if let [from, to] = operands[..]
                    && self.kind(from) == Type
                {
                    self.node(from);
                    let _ = to;
                } else {
                    self.list(&operands[..operands.len().min(1)], "");
                }
                if self.full {
                    self.with_respect(&subsets);
                    self.push(" to parameters ");
                    self.list(subsets.get(2..).unwrap_or_default(), "");
                    if let Some(&to) = operands.get(1) {
                        self.push(" of type ");
                        self.node(to);
                    }
                }
            }
            DifferentiabilityWitness => {
                self.push(
                    match tree
                        .child_of(node, Index)
                        .and_then(|i| tree.index(i))
                        .and_then(|n| u8::try_from(n).ok())
                    {
                        Some(b'f') => "forward-mode",
                        Some(b'r') => "reverse-mode",
                        Some(b'l') => "linear",
                        _ => "normal",
                    },
                );
                self.push(" differentiability witness for ");
                self.list(&operands, "");
                self.with_respect(&subsets);
                if let Some(signature) = signature {
                    self.push(" with ");
                    self.node(signature);
                }
            }
            _ => self.autodiff_function(node),
        }
    }

    pub(super) fn autodiff_function(&mut self, node: NodeId) {
        use Kind::*;
        let tree = self.tree;
        let children = tree.children(node);
        if self.kind(node) == AutoDiffDerivativeVTableThunk {
            self.push("vtable thunk for ");
        }
        let at = children
            .iter()
            .position(|&c| matches!(self.kind(c), AutoDiffFunctionKind | DependentGenericSignature))
            .unwrap_or(children.len());
        if let Some(function) = tree.child_of(node, AutoDiffFunctionKind) {
            self.node(function);
        }
        self.push(" of ");
        self.list(&children[..at], "");
        if !self.full {
            return;
        }
        let subsets: Vec<NodeId> =
            children.iter().copied().filter(|&c| self.kind(c) == IndexSubset).collect();
        self.with_respect(&subsets);
        if let Some(signature) = tree.child_of(node, DependentGenericSignature) {
            self.push(" with ");
            self.node(signature);
        }
    }

    fn with_respect(&mut self, subsets: &[NodeId]) {
        let [params, results, ..] = subsets else { return };
        self.push(" with respect to parameters ");
        self.node(*params);
        self.push(" and results ");
        self.node(*results);
    }

    fn index_subset(&mut self, node: NodeId) {
        let tree = self.tree;
        self.push("{");
        let mut first = true;
        for (n, _) in (0u64..).zip(tree.text(node).unwrap_or_default().bytes()).filter(|&(_, b)| b == b'S') {
            if !first {
                self.push(", ");
            }
            first = false;
            self.number(n);
        }
        self.push("}");
    }
}
