//! Graphs of the shipped examples: complete, and drawn so that they can be read.

use silkit::graph::Graph;
use silkit::ir::Module;
use std::path::Path;

fn examples() -> Vec<Module> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let paths = std::fs::read_dir(folder).expect("examples").map(|e| e.expect("entry").path());
    let texts = paths.filter(|p| p.extension().is_some_and(|e| e == "sil"));
    texts.map(|p| silkit::text::parse_module(&std::fs::read_to_string(p).expect("text")).module).collect()
}

fn flows() -> Vec<Graph> {
    let modules = examples();
    let functions = modules.iter().flat_map(|m| m.functions.values());
    functions.filter_map(|f| silkit::graph::control_flow(f, &|_| None)).collect()
}

/// Returns the numbers of an element's attributes.
fn numbers(line: &str, names: [&str; 4]) -> Option<[f64; 4]> {
    let value = |name: &str| line.split_once(&format!(" {name}=\""))?.1.split('"').next()?.parse().ok();
    Some([value(names[0])?, value(names[1])?, value(names[2])?, value(names[3])?])
}

#[test]
fn every_block_and_edge_is_there() {
    for module in examples() {
        for function in module.functions.values() {
            let Some(body) = &function.body else { continue };
            let graph = silkit::graph::control_flow(function, &|_| None).expect("a body");
            let blocks: Vec<_> = body.blocks().collect();
            assert_eq!(graph.nodes.len(), blocks.len(), "{}", function.name);
            let edges: usize =
                blocks.iter().filter_map(|&b| body.last_inst(b)).map(|i| body.successors(i).len()).sum();
            assert_eq!(graph.edges.len(), edges, "{}", function.name);
            for (node, &block) in graph.nodes.iter().zip(&blocks) {
                let last = body.last_inst(block).expect("a terminator");
                let name = body.info(last).name;
                assert!(node.lines.last().is_some_and(|l| l.contains(name)), "{}: {:?}", function.name, node);
            }
        }
    }
}

#[test]
fn drawn_boxes_do_not_overlap_and_hold_their_text() {
    for graph in flows() {
        let svg = graph.to_svg().expect("small enough");
        let boxes: Vec<[f64; 4]> =
            svg.lines().filter_map(|l| numbers(l, ["x", "y", "width", "height"])).collect();
        assert!(boxes.len() >= graph.nodes.len(), "{}", graph.title);
        for (i, a) in boxes.iter().enumerate() {
            for b in &boxes[i + 1..] {
                let apart =
                    a[0] + a[2] <= b[0] || b[0] + b[2] <= a[0] || a[1] + a[3] <= b[1] || b[1] + b[3] <= a[1];
                assert!(apart, "{}: {a:?} {b:?}", graph.title);
            }
        }
        assert_eq!(svg.matches("<text ").count(), svg.matches("</text>").count());
    }
}

#[test]
fn calls_lead_to_what_a_body_names() {
    for module in examples() {
        let graph = silkit::graph::calls(&module, &[], &|_| None);
        let defined = module.functions.values().filter(|f| f.body.is_some()).count();
        assert_eq!(graph.nodes.iter().filter(|n| !n.is_external).count(), defined);
        for root in module.functions.values().filter(|f| f.body.is_some()) {
            let part = silkit::graph::calls(&module, &[root.name.as_str()], &|_| None);
            assert_eq!(part.nodes[0].id, root.name.as_str());
            assert!(part.nodes.len() <= graph.nodes.len());
        }
    }
}

#[test]
fn classes_know_their_superclass_and_protocols() {
    let text =
        "protocol P {}\nclass A : P {}\nclass B : A {}\nextension B : Sendable {}\nstruct S : ~Copyable {}\n";
    let module = silkit::text::parse_module(text).module;
    let graph = silkit::graph::classes(&silkit::declarations(&module));
    let named = |i: usize| graph.nodes[i].id.as_str();
    let edges: Vec<_> = graph.edges.iter().map(|e| (named(e.from), named(e.to), e.is_weak)).collect();
    assert_eq!(edges, [("A", "P", true), ("B", "A", false), ("B", "Sendable", true)]);
    assert_eq!(graph.nodes.len(), 5);
}

#[test]
fn a_graph_that_is_too_large_is_refused() {
    let blocks: String = (0..700).map(|i| format!("bb{i}:\n  br bb{}\n", i + 1)).collect();
    let text = format!("sil @f : $@convention(thin) () -> () {{\n{blocks}bb700:\n  unreachable\n}}\n");
    let module = silkit::text::parse_module(&text).module;
    let graph = silkit::graph::control_flow(module.functions.values().next().expect("f"), &|_| None);
    assert_eq!(graph.expect("a body").to_svg().expect_err("too large").nodes, 701);
}
