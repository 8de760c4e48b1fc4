//! The pipelines of the reference compiler: its passes, in order.

use std::fmt::Write;

/// A pipeline of the reference compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReferencePipeline {
    /// Its name.
    pub name: &'static str,
    /// The groups of passes, in execution order.
    pub groups: &'static [Group],
}

/// A group of passes of a reference pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// Its name.
    pub name: &'static str,
    /// The pass tags in order. Not all of these passes are implemented.
    pub passes: &'static [&'static str],
}

/// The column after which the reference wraps lines.
const WRAP_COLUMN: usize = 70;

/// The text before the passes.
const HEAD: &str = "passes:          [ ";

impl ReferencePipeline {
    /// Returns the pipeline in YAML, as the reference prints it.
    pub fn to_yaml(&self) -> String {
        let mut text = String::new();
        for group in self.groups {
            group.print(&mut text);
        }
        text + "...\n\n"
    }
}

impl Group {
    fn print(&self, text: &mut String) {
        let is_plain = self.name.chars().all(|c| c.is_ascii_alphanumeric() || "_-^., \t".contains(c));
        let quote = if is_plain { "" } else { "'" };
        // Writing to a string cannot fail.
        let _ = write!(text, "---\nname:            {quote}{}{quote}\n{HEAD}", self.name);
        let mut column = HEAD.len();
        for (index, tag) in self.passes.iter().enumerate() {
            if index > 0 {
                text.push_str(", ");
                column += 2;
            }
            if column > WRAP_COLUMN {
                column = HEAD.len();
                let _ = write!(text, "\n{:column$}", "");
            }
            let _ = write!(text, "\"{tag}\"");
            column += tag.len() + 2;
        }
        text.push_str(" ]\n");
    }
}

/// Returns the pipeline with this name.
pub fn find(name: &str) -> Option<&'static ReferencePipeline> {
    ALL.iter().find(|pipeline| pipeline.name == name)
}

/// A sequence of reference pipelines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PipelineSequence {
    /// Its name.
    pub name: &'static str,
    /// The names of the pipelines in order.
    pub pipelines: &'static [&'static str],
    /// The options that the compiler sets for a build with these pipelines, with their values.
    pub options: &'static [(&'static str, &'static str)],
}

/// The pipelines that turn raw SIL into canonical SIL. The reference runs them only on raw SIL.
pub const TO_CANONICAL: &[&str] = &["SILGen", "Diagnostic"];

/// The sequences that the compiler runs on generated SIL, without and with optimization.
pub const PIPELINE_SEQUENCES: &[PipelineSequence] = &[
    PipelineSequence { name: "diagnostics", pipelines: TO_CANONICAL, options: &[] },
    PipelineSequence {
        name: "onone",
        pipelines: &["SILGen", "Diagnostic", "Onone"],
        options: &[("opt-mode", "none"), ("implicit-import", "SwiftOnoneSupport")],
    },
    PipelineSequence {
        name: "performance",
        pipelines: &["SILGen", "Diagnostic", "Performance"],
        options: &[("opt-mode", "speed")],
    },
];

/// Returns the sequence with this name.
pub fn find_sequence(name: &str) -> Option<&'static PipelineSequence> {
    PIPELINE_SEQUENCES.iter().find(|way| way.name == name)
}

/// All pipelines of Swift 6.2, by name.
#[rustfmt::skip]
pub const ALL: &[ReferencePipeline] = &[
    ReferencePipeline {
        name: "Diagnostic",
        groups: &[
            Group {
                name: "Mandatory Diagnostic Passes + Enabling Optimization Passes",
                passes: &[
                    "diagnose-invalid-escaping-captures", "sil-reference-binding-transform",
                    "diagnose-static-exclusivity", "nested-semantic-function-check", "capture-promotion",
                    "access-enforcement-selection", "allocbox-to-stack", "noreturn-folding",
                    "boolean-literal-folding", "definite-init", "let-property-lowering",
                    "raw-sil-inst-lowering", "address-lowering", "sil-diagnostic-dead-function-elim",
                    "flow-isolation", "send-non-sendable", "region-analysis-invalidation-transform",
                    "sil-diagnose-unnecessary-preconcurrency-imports", "lower-tuple-addr-constructor",
                    "differentiation", "closure-lifetime-fixup", "sil-move-only-checker",
                    "sil-consume-operator-copyable-addresses-checker",
                    "sil-consume-operator-copyable-values-checker", "lifetime-dependence-diagnostics",
                    "sil-move-only-type-eliminator", "mandatory-inlining", "mandatory-linker",
                    "mandatory-redundant-load-elimination", "os-log-optimization",
                    "diagnostic-constant-propagation", "predictable-deadalloc-elim",
                    "optimize-hop-to-executor", "diagnose-unreachable", "diagnose-infinite-recursion",
                    "yield-once-check", "dataflow-diagnostics", "diagnose-lifetime-issues",
                    "split-non-cond_br-critical-edges", "mandatory-performance-optimizations",
                    "onone-simplification", "initialize-static-globals", "diagnose-unknown-const-values",
                    "performance-diagnostics",
                ],
            },
        ],
    },
    ReferencePipeline {
        name: "IRGenPrepare",
        groups: &[
            Group {
                name: "IRGen Preparation",
                passes: &[
                    "alloc-stack-hoisting", "loadable-address", "pack-metadata-marker-inserter",
                ],
            },
        ],
    },
    ReferencePipeline {
        name: "Onone",
        groups: &[
            Group {
                name: "Non-Diagnostic Mandatory Optimizations",
                passes: &[
                    "for-each-loop-unroll", "mandatory-arc-opts", "onone-prespecializer", "cmo",
                ],
            },
            Group {
                name: "Serialization",
                passes: &[
                    "serialize-sil", "sil-moved-async-var-dbginfo-propagator", "ownership-model-eliminator",
                ],
            },
            Group {
                name: "Rest of Onone",
                passes: &[
                    "use-prespecialized", "function-stack-protection", "late-onone-simplification",
                    "cleanup-debug-steps", "sil-debuginfo-gen",
                ],
            },
        ],
    },
    ReferencePipeline {
        name: "OwnershipEliminator",
        groups: &[
            Group {
                name: "Ownership Model Eliminator",
                passes: &[
                    "address-lowering", "ownership-model-eliminator",
                ],
            },
        ],
    },
    ReferencePipeline {
        name: "Performance",
        groups: &[
            Group {
                name: "PrepareOptimizationPasses",
                passes: &[
                    "access-path-verification", "for-each-loop-unroll", "simplification",
                    "access-marker-elim",
                ],
            },
            Group {
                name: "EarlyModulePasses",
                passes: &[
                    "sil-deadfuncelim", "temp-rvalue-opt", "compute-side-effects", "copy-propagation",
                    "semantic-arc-opts", "copy-to-borrow-optimization",
                    "differentiability-witness-devirtualizer", "performance-linker", "temp-rvalue-opt",
                    "outliner",
                ],
            },
            Group {
                name: "HighLevel,Function+EarlyLoopOpt",
                passes: &[
                    "eager-specializer", "objc-bridging-opt", "allocbox-to-stack", "destroy-addr-hoisting",
                    "copy-forwarding", "dce", "temp-lvalue-opt", "lower-aggregate-instrs", "early-sroa",
                    "mem2reg", "existential-specializer", "performance-constant-propagation",
                    "simplify-cfg", "condition-forwarding", "sil-combine", "simplify-cfg", "devirtualizer",
                    "generic-specializer", "devirtualizer", "arc-sequence-opts", "deinit-devirtualizer",
                    "destroy-hoisting", "copy-propagation", "semantic-arc-opts",
                    "copy-to-borrow-optimization", "early-inline", "copy-propagation", "semantic-arc-opts",
                    "copy-to-borrow-optimization", "mem2reg", "performance-constant-propagation",
                    "jumpthread-simplify-cfg", "phi-expansion", "sil-combine", "simplify-cfg", "cse",
                    "early-redundant-load-elimination", "semantic-arc-opts", "copy-to-borrow-optimization",
                    "cow-opts", "performance-constant-propagation", "redundant-phi-elimination", "cse",
                    "dce", "early-codemotion", "release-hoisting", "arc-sequence-opts", "temp-rvalue-opt",
                    "simplify-cfg", "early-codemotion", "retain-sinking", "retain-sinking",
                    "release-hoisting", "arc-sequence-opts", "destroy-hoisting", "copy-propagation",
                    "semantic-arc-opts", "copy-to-borrow-optimization", "lower-aggregate-instrs",
                    "sil-combine", "early-sroa", "mem2reg", "dce", "sil-combine", "simplify-cfg",
                    "condition-forwarding", "sil-combine", "simplify-cfg", "loop-rotate", "dce",
                    "high-level-cse", "sil-combine", "simplify-cfg", "access-enforcement-release",
                    "access-enforcement-opts", "high-level-licm", "simplify-cfg",
                    "access-enforcement-release", "access-enforcement-opts", "array-count-propagation",
                    "sil-combine", "loop-unroll", "simplify-cfg", "performance-constant-propagation",
                    "simplify-cfg", "bcopts", "dce", "cowarray-opt", "dce", "array-property-opt",
                    "string-optimization", "compute-escape-effects", "compute-side-effects",
                ],
            },
            Group {
                name: "HighLevel,Module+StackPromote",
                passes: &[
                    "sil-deadfuncelim", "performance-linker", "deadobject-elim", "global-property-opt",
                    "compute-escape-effects", "compute-side-effects", "stack-promotion",
                    "let-properties-opt", "copy-propagation", "semantic-arc-opts",
                    "copy-to-borrow-optimization", "cmo", "serialize-sil", "ownership-model-eliminator",
                    "autodiff-closure-specialization",
                ],
            },
            Group {
                name: "MidLevel,Function",
                passes: &[
                    "allocbox-to-stack", "destroy-addr-hoisting", "copy-forwarding", "dce",
                    "temp-lvalue-opt", "lower-aggregate-instrs", "sroa", "mem2reg",
                    "existential-specializer", "performance-constant-propagation", "simplify-cfg",
                    "condition-forwarding", "sil-combine", "simplify-cfg", "high-level-licm",
                    "array-count-propagation", "bcopts", "dce", "cowarray-opt", "dce", "array-property-opt",
                    "string-optimization", "devirtualizer", "generic-specializer", "devirtualizer",
                    "arc-sequence-opts", "deinit-devirtualizer", "destroy-hoisting", "copy-propagation",
                    "semantic-arc-opts", "copy-to-borrow-optimization", "inline", "copy-propagation",
                    "semantic-arc-opts", "copy-to-borrow-optimization", "mem2reg",
                    "performance-constant-propagation", "jumpthread-simplify-cfg", "phi-expansion",
                    "sil-combine", "simplify-cfg", "cse", "redundant-load-elimination", "semantic-arc-opts",
                    "copy-to-borrow-optimization", "cow-opts", "performance-constant-propagation",
                    "redundant-phi-elimination", "cse", "dce", "early-codemotion", "release-hoisting",
                    "arc-sequence-opts", "temp-rvalue-opt", "simplify-cfg", "early-codemotion",
                    "retain-sinking", "retain-sinking", "release-hoisting", "arc-sequence-opts",
                    "destroy-hoisting", "copy-propagation", "semantic-arc-opts",
                    "copy-to-borrow-optimization", "dead-arg-signature-opt", "licm", "licm", "loop-unroll",
                    "autodiff-closure-specialization",
                ],
            },
            Group {
                name: "ClosureSpecialize",
                passes: &[
                    "sil-deadfuncelim", "read-only-global-variables", "dead-store-elimination",
                    "deadobject-elim", "simplify-cfg", "sil-combine", "performance-constant-propagation",
                    "simplify-cfg", "simplification", "initialize-static-globals", "compute-escape-effects",
                    "compute-side-effects", "let-properties-opt", "capture-prop", "closure-specialize",
                    "stack-promotion", "simplify-cfg", "condition-forwarding", "sil-combine",
                    "simplify-cfg", "compute-escape-effects", "compute-side-effects",
                ],
            },
            Group {
                name: "LowLevel,Function",
                passes: &[
                    "release-devirtualizer", "allocbox-to-stack", "destroy-addr-hoisting",
                    "copy-forwarding", "dce", "temp-lvalue-opt", "lower-aggregate-instrs", "sroa",
                    "mem2reg", "existential-specializer", "performance-constant-propagation",
                    "simplify-cfg", "condition-forwarding", "sil-combine", "simplify-cfg", "devirtualizer",
                    "generic-specializer", "devirtualizer", "arc-sequence-opts", "deinit-devirtualizer",
                    "destroy-hoisting", "copy-propagation", "semantic-arc-opts",
                    "copy-to-borrow-optimization", "inline", "copy-propagation", "semantic-arc-opts",
                    "copy-to-borrow-optimization", "mem2reg", "performance-constant-propagation",
                    "jumpthread-simplify-cfg", "phi-expansion", "sil-combine", "simplify-cfg", "cse",
                    "redundant-load-elimination", "semantic-arc-opts", "copy-to-borrow-optimization",
                    "cow-opts", "performance-constant-propagation", "redundant-phi-elimination", "cse",
                    "dce", "early-codemotion", "release-hoisting", "arc-sequence-opts", "temp-rvalue-opt",
                    "simplify-cfg", "late-codemotion", "retain-sinking", "retain-sinking",
                    "release-hoisting", "arc-sequence-opts", "destroy-hoisting", "copy-propagation",
                    "semantic-arc-opts", "copy-to-borrow-optimization", "named-return-value-optimization",
                    "deadobject-elim", "object-outliner", "dead-store-elimination", "dce", "simplification",
                    "initialize-static-globals", "deadobject-elim", "function-signature-opts",
                    "compute-escape-effects", "compute-side-effects",
                ],
            },
            Group {
                name: "LateLoopOpt",
                passes: &[
                    "late-deadfuncelim", "code-sinking", "access-enforcement-release",
                    "access-enforcement-opts", "licm", "cow-opts", "simplify-cfg",
                    "access-enforcement-release", "access-enforcement-opts", "compute-escape-effects",
                    "compute-side-effects", "stack-promotion", "remove-redundant-overflow-checks",
                    "merge-cond_fails", "dce", "sil-combine", "simplify-cfg", "strip-object-headers",
                    "late-release-hoisting", "optimize-hop-to-executor", "access-enforcement-release",
                    "access-enforcement-opts", "access-enforcement-wmo", "access-enforcement-dom", "licm",
                    "assembly-vision-remark-generator", "stack-protection",
                ],
            },
            Group {
                name: "SIL Debug Info Generator",
                passes: &[
                    "sil-debuginfo-gen",
                ],
            },
        ],
    },
    ReferencePipeline {
        name: "SILGen",
        groups: &[
            Group {
                name: "SILGen Passes",
                passes: &[
                    "silgen-cleanup", "lifetime-dependence-insertion", "lifetime-dependence-scope-fixup",
                ],
            },
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_wrapped_and_names_quoted_as_in_the_reference() {
        let yaml = find("OwnershipEliminator").expect("a pipeline").to_yaml();
        let expected = "---\nname:            Ownership Model Eliminator\n\
            passes:          [ \"address-lowering\", \"ownership-model-eliminator\" ]\n...\n\n";
        assert_eq!(yaml, expected);
        let yaml = find("Performance").expect("a pipeline").to_yaml();
        let wrapped = "name:            'HighLevel,Module+StackPromote'\n\
            passes:          [ \"sil-deadfuncelim\", \"performance-linker\", \"deadobject-elim\", \n                   \
            \"global-property-opt\", ";
        assert!(yaml.contains(wrapped), "{yaml}");
        assert!(yaml.contains("name:            MidLevel,Function\n"));
    }
}
