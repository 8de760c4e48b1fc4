//! The control-flow graph of a function.

use super::{Edge, Graph, Node, NodeLine, readable};
use silkit_base::FxHashMap;
use silkit_ir::info::AttrKind;
use silkit_ir::{Block, Body, DeclRef, Function, Inst, Module, NONE};
use silkit_text::{Demangle, PrintOptions, print_module, without_printed_comment};

/// Returns the control-flow graph of a function; `None` if it has no body.
pub fn control_flow(function: &Function, demangle: &Demangle) -> Option<Graph> {
    control_flow_at(function, demangle, &|_| None)
}

/// Returns the control-flow graph of a function with the line numbers of its instructions, starting at 1; `None` if
/// it has no body.
pub fn control_flow_at(
    function: &Function,
    demangle: &Demangle,
    line: &dyn Fn(Inst) -> Option<u32>,
) -> Option<Graph> {
    let body = function.body.as_ref()?;
    let mut graph = Graph { title: readable(function.name.as_str(), demangle), ..Graph::default() };
    let mut numbers: FxHashMap<Block, usize> = FxHashMap::default();
    for (number, (block, lines)) in body.blocks().zip(block_lines(function, demangle)).enumerate() {
        numbers.insert(block, number);
        let insts = body.block_insts(block).map(line);
        // The label of a block is on a separate line.
        let lines = lines.into_iter().zip(std::iter::once(None).chain(insts).chain(std::iter::repeat(None)));
        let lines = lines.map(|(text, number)| NodeLine { text, number }).collect();
        graph.nodes.push(Node { id: format!("bb{number}"), lines, is_external: false });
    }
    for block in body.blocks() {
        let Some(last) = body.last_inst(block) else { continue };
        for (target, label) in targets(body, last) {
            if let (Some(&from), Some(&to)) = (numbers.get(&block), numbers.get(&target)) {
                graph.edges.push(Edge { from, to, label, is_weak: false });
            }
        }
    }
    Some(graph)
}

/// Returns the lines of each block without comments.
fn block_lines(function: &Function, demangle: &Demangle) -> Vec<Vec<String>> {
    let mut alone = Module::default();
    alone.functions.push(function.clone());
    let printed = print_module(&alone, &PrintOptions::default(), demangle);
    let mut blocks: Vec<Vec<String>> = Vec::new();
    let mut callee = None;
    for line in printed.lines() {
        if let Some(rest) = line.strip_prefix("bb") {
            blocks.push(vec![format!("bb{}", without_printed_comment(rest).trim_end_matches(':'))]);
            continue;
        }
        let (Some(block), Some(inst)) = (blocks.last_mut(), line.strip_prefix("  ")) else { continue };
        match inst.strip_prefix("// ") {
            // The comment before a reference contains the readable name of the function.
            Some(comment) => callee = Some(comment.to_owned()),
            None => {
                let text = match (callee.take(), without_printed_comment(inst).split_once(" = ")) {
                    (Some(callee), Some((value, _))) => format!("{value} = {callee}"),
                    _ => without_printed_comment(inst).to_owned(),
                };
                block.push(text);
            }
        }
    }
    blocks
}

/// Returns the successors of a terminator, with the label of each edge.
fn targets(body: &Body, inst: Inst) -> Vec<(Block, String)> {
    let attrs = body.info(inst).attrs;
    let mut found = Vec::new();
    for (attr, &word) in attrs.iter().zip(body.words(inst)) {
        let name = match attr.name.strip_suffix("_target").unwrap_or(attr.name) {
            "target" => "",
            name => name,
        };
        match attr.kind {
            AttrKind::Block => found.push((Block::from_u32(word), name.to_owned())),
            AttrKind::OptBlock if word != NONE => found.push((Block::from_u32(word), name.to_owned())),
            AttrKind::ListBlock => {
                let blocks = body.list(word).iter().enumerate();
                found.extend(blocks.map(|(i, &b)| (Block::from_u32(b), format!("case {i}"))));
            }
            AttrKind::ListDeclBlock => {
                for pair in body.list(word).chunks_exact(2) {
                    found.push((Block::from_u32(pair[1]), case_name(pair[0])));
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns `some` for `#Optional.some!enumelt`.
fn case_name(word: u32) -> String {
    let text = DeclRef::from_u32(word).to_string();
    let path = text.split('!').next().unwrap_or_default();
    path.rsplit('.').next().unwrap_or_default().trim_start_matches('#').to_owned()
}
