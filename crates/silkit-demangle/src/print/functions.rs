//! Function types, formal and lowered.

use super::Printer;
use crate::node::{Kind, NodeId};

impl Printer<'_> {
    pub(super) fn is_function(&self, kind: Kind) -> bool {
        use Kind::*;
        matches!(
            kind,
            FunctionType
                | NoEscapeFunctionType
                | UncurriedFunctionType
                | ThinFunctionType
                | AutoClosureType
                | EscapingAutoClosureType
                | CFunctionPointer
                | ObjCBlock
                | EscapingObjCBlock
        )
    }

    pub(super) fn needs_space(&self, ty: NodeId) -> bool {
        use Kind::*;
        match self.kind(ty) {
            Type => self.child(ty, 0).is_none_or(|inner| self.needs_space(inner)),
            FunctionType | NoEscapeFunctionType | UncurriedFunctionType | DependentGenericType => false,
            _ => true,
        }
    }

    /// Prints a function type, with labels of its parameters if some are given.
    pub(super) fn labelled_function(&mut self, labels: Option<NodeId>, ty: NodeId) {
        use Kind::*;
        if !self.is_function(self.kind(ty)) {
            self.node(ty);
            return;
        }
        let tree = self.tree;
        let children = tree.children(ty);
        let clang = tree.child_of(ty, ClangType).and_then(|c| tree.text(c));
        let convention = match self.kind(ty) {
            AutoClosureType | EscapingAutoClosureType => "@autoclosure ",
            ThinFunctionType => "@convention(thin) ",
            CFunctionPointer if clang.is_none() => "@convention(c) ",
            ObjCBlock if clang.is_none() => "@convention(block) ",
            EscapingObjCBlock => "@escaping @convention(block) ",
            CFunctionPointer => "@convention(c, mangledCType: \"",
            ObjCBlock => "@convention(block, mangledCType: \"",
            _ => "",
        };
        self.push(convention);
        if let Some(clang) = clang {
            self.push(clang);
            self.push("\") ");
        }
        let mut thrown = None;
        let (mut sendable, mut asynchronous, mut sending) = (false, false, false);
        let mut last = 0;
        for &child in children {
            // The reference looks for annotations in this order only, and so drops annotations in other orders, which
            // occur in the mangling used before Swift 4.
            let rank = annotation_rank(self.kind(child));
            if rank < last {
                break;
            }
            last = rank;
            match self.kind(child) {
                SendingResultFunctionType => sending = true,
                IsolatedAnyFunctionType => self.push("@isolated(any) "),
                NonIsolatedCallerFunctionType => self.push("nonisolated(nonsending) "),
                GlobalActorFunctionType => self.node(child),
                DifferentiableFunctionType => {
                    self.push(match tree.index(child).and_then(|n| u8::try_from(n).ok()) {
                        Some(b'f') => "@differentiable(_forward) ",
                        Some(b'r') => "@differentiable(reverse) ",
                        Some(b'l') => "@differentiable(_linear) ",
                        _ => "@differentiable ",
                    });
                }
                ThrowsAnnotation | TypedThrowsAnnotation => thrown = Some(child),
                ConcurrentFunctionType => sendable = true,
                AsyncAnnotation => asynchronous = true,
                _ => {}
            }
        }
        if sendable {
            self.push("@Sendable ");
        }
        if let Some(arguments) = tree.child_of(ty, ArgumentTuple) {
            self.parameters(labels, arguments);
        }
        if !self.full {
            return;
        }
        if asynchronous {
            self.push(" async");
        }
        if let Some(thrown) = thrown {
            self.node(thrown);
        }
        self.push(" -> ");
        if sending {
            self.push("sending ");
        }
        if let Some(result) = tree.child_of(ty, ReturnType) {
            self.children(result, "");
        }
    }

    fn parameters(&mut self, labels: Option<NodeId>, arguments: NodeId) {
        let tree = self.tree;
        let Some(params) = self.child(arguments, 0).and_then(|t| self.child(t, 0)) else { return };
        if self.kind(params) != Kind::Tuple {
            if self.full {
                self.push("(");
                self.node(params);
                self.push(")");
            } else {
                self.push("(_:)");
            }
            return;
        }
        let labels = labels.map_or(&[][..], |l| tree.children(l));
        self.push("(");
        for (n, &param) in tree.children(params).iter().enumerate() {
            if n > 0 && self.full {
                self.push(", ");
            }
            if !labels.is_empty() {
                let label = labels.get(n).filter(|&&l| self.kind(l) == Kind::Identifier);
                self.push(label.and_then(|&l| tree.text(l)).unwrap_or("_"));
                self.push(if self.full { ": " } else { ":" });
            } else if !self.full {
                match tree.child_of(param, Kind::TupleElementName) {
                    Some(name) => self.payload(name),
                    None => self.push("_"),
                }
                self.push(":");
            }
            if self.full {
                self.node(param);
            }
        }
        self.push(")");
    }

    /// Prints `@callee_guaranteed (@in_guaranteed A) -> @out B`, attributes first.
    pub(super) fn impl_function(&mut self, node: NodeId) {
        use Kind::*;
        #[derive(PartialEq, PartialOrd)]
        enum State {
            Attributes,
            Inputs,
            Results,
        }
        let tree = self.tree;
        let pattern = tree.child_of(node, ImplPatternSubstitutions);
        let invocation = tree.child_of(node, ImplInvocationSubstitutions);
        let sending = tree.child_of(node, ImplSendingResult).is_some();
        let packs = self.packs.len();
        let mut state = State::Attributes;
        let start_inputs = |p: &mut Self| {
            if let Some(signature) = pattern.and_then(|s| p.child(s, 0)) {
                p.push("@substituted ");
                p.enter(signature);
                p.node(signature);
                p.push(" ");
            }
            p.push("(");
        };
        let start_results = |p: &mut Self| {
            p.push(") -> ");
            if sending {
                p.push("sending ");
            }
            p.push("(");
        };
        for &child in tree.children(node) {
            match self.kind(child) {
                ImplParameter => {
                    if state == State::Inputs {
                        self.push(", ");
                    } else {
                        start_inputs(self);
                        state = State::Inputs;
                    }
                    self.impl_parameter(child);
                }
                ImplResult | ImplYield | ImplErrorResult => {
                    if state == State::Results {
                        self.push(", ");
                    } else {
                        if state == State::Attributes {
                            start_inputs(self);
                        }
                        start_results(self);
                        state = State::Results;
                    }
                    match self.kind(child) {
                        ImplYield => self.push("@yields "),
                        ImplErrorResult => self.push("@error "),
                        _ => {}
                    }
                    self.children(child, " ");
                }
                ImplPatternSubstitutions | ImplInvocationSubstitutions | ImplSendingResult => {}
                kind => {
                    if kind == DependentGenericSignature {
                        self.enter(child);
                    }
                    self.node(child);
                    self.push(" ");
                }
            }
        }
        if state == State::Attributes {
            start_inputs(self);
        }
        if state != State::Results {
            start_results(self);
        }
        self.push(")");
        for (substitutions, at) in [(pattern, 1), (invocation, 0)] {
            if let Some(types) = substitutions.and_then(|s| self.child(s, at)) {
                self.push(" for <");
                self.children(types, "");
                self.push(">");
            }
        }
        self.packs.truncate(packs);
    }

    /// Prints the convention, the attributes and the type of a lowered parameter. The reference omits all attributes if
    /// there are several beside `@noDerivative`.
    fn impl_parameter(&mut self, node: NodeId) {
        let tree = self.tree;
        let is_counted = |&&child: &&NodeId| {
            self.kind(child) == Kind::ImplParameterAttribute && tree.text(child) != Some("@noDerivative")
        };
        match *tree.children(node) {
            [convention, ref attributes @ .., ty] if attributes.iter().filter(is_counted).count() > 1 => {
                self.list(&[convention, ty], " ");
            }
            _ => self.children(node, " "),
        }
    }
}

/// Returns the position of an annotation in a function type.
fn annotation_rank(kind: Kind) -> u8 {
    use Kind::*;
    match kind {
        ClangType => 0,
        SendingResultFunctionType => 1,
        GlobalActorFunctionType | IsolatedAnyFunctionType | NonIsolatedCallerFunctionType => 2,
        DifferentiableFunctionType => 3,
        ThrowsAnnotation | TypedThrowsAnnotation => 4,
        ConcurrentFunctionType => 5,
        AsyncAnnotation => 6,
        _ => 7,
    }
}
