//! Graphs of the shipped examples: complete, and drawn so that they can be read.

use silkit_graph::{Graph, GraphKind};
use silkit_ir::Module;
use silkit_text::decl::declarations;
use std::path::Path;

fn read(text: &str) -> Module {
    let parsed = silkit_text::parse_module(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    parsed.module
}

fn comment_name(symbol: &str) -> Option<String> {
    silkit_demangle::demangle(symbol, silkit_demangle::Style::Simplified)
}

fn examples() -> Vec<Module> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let paths = std::fs::read_dir(folder).expect("examples").map(|e| e.expect("entry").path());
    let texts = paths.filter(|p| p.extension().is_some_and(|e| e == "sil"));
    texts.map(|p| silkit_text::parse_module(&std::fs::read_to_string(p).expect("text")).module).collect()
}

fn flows() -> Vec<Graph> {
    let modules = examples();
    let functions = modules.iter().flat_map(|m| m.functions.values());
    functions.filter_map(|f| silkit_graph::control_flow(f, &|_| None)).collect()
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
            let graph = silkit_graph::control_flow(function, &|_| None).expect("a body");
            let blocks: Vec<_> = body.blocks().collect();
            assert_eq!(graph.nodes.len(), blocks.len(), "{}", function.name);
            let edges: usize =
                blocks.iter().filter_map(|&b| body.last_inst(b)).map(|i| body.successors(i).len()).sum();
            assert_eq!(graph.edges.len(), edges, "{}", function.name);
            for (node, &block) in graph.nodes.iter().zip(&blocks) {
                let last = body.last_inst(block).expect("a terminator");
                let name = body.info(last).name;
                assert!(
                    node.lines.last().is_some_and(|l| l.text.contains(name)),
                    "{}: {:?}",
                    function.name,
                    node
                );
            }
        }
    }
}

/// Returns the boxes of a drawing: left, top, right, bottom.
fn boxes(svg: &str) -> Vec<[f64; 4]> {
    let found = svg.lines().filter_map(|l| numbers(l.split_once("<rect")?.1, ["x", "y", "width", "height"]));
    found.map(|[x, y, width, height]| [x, y, x + width, y + height]).collect()
}

/// Returns where the texts of a drawing are, without the title.
fn texts(svg: &str) -> Vec<[f64; 4]> {
    let found = svg.lines().filter_map(|line| {
        let line = line.split_once("<text x=")?.1;
        let value = |name: &str| -> Option<f64> { line.split_once(name)?.1.split('"').next()?.parse().ok() };
        let (x, y) = (value("\"")?, value("y=\"")?);
        let shown = line.split_once('>')?.1.split('<').next()?;
        let shown =
            shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").replace("&quot;", "'");
        Some([x, y - 9.0, x + shown.chars().count() as f64 * 7.22, y + 2.0])
    });
    found.collect()
}

/// Returns points on the edges of a drawing, without their ends.
fn points(svg: &str) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for line in svg.lines().filter(|line| line.starts_with("<path d=")) {
        let path = line.split('"').nth(1).expect("a path");
        let mut last = (0.0, 0.0);
        for (index, piece) in path.split_inclusive(['M', 'L', 'C']).skip(1).enumerate() {
            let kind = path
                .split(|c: char| !"MLC".contains(c))
                .filter(|p| !p.is_empty())
                .nth(index)
                .expect("a kind");
            let n: Vec<f64> = piece
                .trim_end_matches(['M', 'L', 'C'])
                .split_whitespace()
                .map(|n| n.parse().expect("a number"))
                .collect();
            let end = (n[n.len() - 2], n[n.len() - 1]);
            for step in 1..10 {
                let t = f64::from(step) / 10.0;
                let mix = |a: f64, b: f64| a + (b - a) * t;
                match kind {
                    "L" => points.push((mix(last.0, end.0), mix(last.1, end.1))),
                    "C" => {
                        let u = 1.0 - t;
                        let at = |p0: f64, p1: f64, p2: f64, p3: f64| {
                            u * u * u * p0 + 3.0 * u * u * t * p1 + 3.0 * u * t * t * p2 + t * t * t * p3
                        };
                        points.push((at(last.0, n[0], n[2], n[4]), at(last.1, n[1], n[3], n[5])));
                    }
                    _ => {}
                }
            }
            last = end;
        }
    }
    points
}

/// A drawing that people can read: boxes apart, text in its box, no edge over a box or a text.
fn check_drawing(graph: &Graph) {
    let svg = graph.to_svg(None);
    let (boxes, texts) = (boxes(&svg), texts(&svg));
    assert_eq!(boxes.len(), graph.nodes.len(), "{}", graph.title);
    let is_apart = |a: &[f64; 4], b: &[f64; 4]| a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
    for (i, a) in boxes.iter().enumerate() {
        assert!(boxes[i + 1..].iter().all(|b| is_apart(a, b)), "{}: {a:?}", graph.title);
    }
    let is_inside = |a: &[f64; 4], b: &[f64; 4]| a[0] >= b[0] && a[2] <= b[2] && a[1] >= b[1] && a[3] <= b[3];
    for text in &texts {
        let is_clear = boxes.iter().all(|b| is_apart(text, b) || is_inside(text, b));
        assert!(is_clear, "{}: the text at {text:?} is half in a box", graph.title);
    }
    let covers = |&(x, y): &(f64, f64), b: &[f64; 4]| {
        x > b[0] + 1.0 && x < b[2] - 1.0 && y > b[1] + 1.0 && y < b[3] - 1.0
    };
    for point in points(&svg) {
        assert!(
            !boxes.iter().any(|b| covers(&point, b)),
            "{}: an edge crosses a box at {point:?}",
            graph.title
        );
        assert!(
            !texts.iter().any(|t| covers(&point, t)),
            "{}: an edge crosses a text at {point:?}",
            graph.title
        );
    }
    assert_eq!(svg.matches("<text ").count(), svg.matches("</text>").count());
}

#[test]
fn drawings_can_be_read() {
    flows().iter().for_each(check_drawing);
    for module in examples() {
        check_drawing(&silkit_graph::calls(&module, &[], &comment_name));
        check_drawing(&silkit_graph::classes(&declarations(&module)));
    }
}

#[test]
fn drawings_of_random_graphs_can_be_read() {
    let mut random = silkit_testkit::random::Random::new(11);
    for round in 0..60 {
        let count = 1 + random.below(24);
        let nodes = (0..count).map(|i| {
            let rows = 1 + random.below(4);
            let lines = (0..rows).map(|r| "x".repeat(1 + (i * 7 + r * 5) % 30).into()).collect();
            silkit_graph::Node { id: format!("n{i}"), lines, is_external: false }
        });
        let nodes: Vec<_> = nodes.collect();
        let edges = (0..random.below(2 * count + 1)).map(|e| silkit_graph::Edge {
            from: random.below(count),
            to: random.below(count),
            label: if (e + round) % 3 == 0 { format!("label {e}") } else { String::new() },
            is_weak: e % 4 == 0,
        });
        let edges = edges.collect();
        let title = format!("round {round}");
        let kind = [GraphKind::Calls, GraphKind::Classes][round % 2];
        check_drawing(&Graph { title, nodes, edges, kind, ..Graph::default() });
    }
}

/// A function for each name, which calls the next names.
fn callers(calls: &[(&str, &[&str])]) -> Module {
    let mut text = String::new();
    for (name, callees) in calls {
        text += &format!("sil @{name} : $@convention(thin) () -> () {{\nbb0:\n");
        for (number, callee) in callees.iter().enumerate() {
            let (function, result) = (2 * number, 2 * number + 1);
            text += &format!("  %{function} = function_ref @{callee} : $@convention(thin) () -> ()\n");
            text += &format!("  %{result} = apply %{function}() : $@convention(thin) () -> ()\n");
        }
        text += "  unreachable\n}\n";
    }
    text += "sil @outside : $@convention(thin) () -> ()\n";
    read(&text)
}

#[test]
fn a_function_that_many_others_call_is_named_in_their_boxes() {
    let names: Vec<String> = (0..16).map(|n| format!("f{n}")).collect();
    let all: Vec<(&str, &[&str])> = names
        .iter()
        .map(|name| (name.as_str(), &["outside", "outside"][..]))
        .chain([("g", &["f0"][..])])
        .collect();
    let graph = silkit_graph::calls(&callers(&all), &[], &|_| None).without_hubs();
    let lines = |id: &str| {
        let node = graph.nodes.iter().find(|node| node.id == id).expect("the node");
        node.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(lines("f3"), ["f3", "→ outside"]);
    assert_eq!(lines("outside"), ["outside", "16 functions refer to it"]);
    assert_eq!(lines("g"), ["g"]);
    assert_eq!(graph.edges.len(), 1, "that of `g`");
    let fifteen = silkit_graph::calls(&callers(&all[1..]), &[], &|_| None).without_hubs();
    assert_eq!(fifteen.edges.len(), 16);
}

#[test]
fn a_legend_tells_what_dashes_and_colors_mean() {
    let legend = |graph: &Graph| {
        let svg = graph.to_svg(None);
        svg.split_once("class=\"legend\"")
            .and_then(|(_, rest)| Some(rest.split_once('>')?.1.split_once("</tspan>")?.0.to_owned()))
    };
    let calls = |all: &[(&str, &[&str])]| silkit_graph::calls(&callers(all), &[], &|_| None);
    assert_eq!(legend(&calls(&[("f", &[])])).as_deref(), Some(""));
    assert_eq!(legend(&calls(&[("f", &["outside"])])).as_deref(), Some("dashed boxes: no body in the file"));
    assert_eq!(legend(&calls(&[("f", &["f"])])).as_deref(), Some("orange: recursion"));
    let types = read("struct S : Equatable {}\n");
    let classes = silkit_graph::classes(&declarations(&types));
    let expected = "dashed boxes: declared elsewhere · dashed edges: conformances";
    assert_eq!(legend(&classes).as_deref(), Some(expected));
    let mut flow = calls(&[("f", &["f"])]);
    flow.kind = GraphKind::ControlFlow;
    assert_eq!(legend(&flow).as_deref(), Some("orange: loops"));
}

#[test]
fn loops_and_recursion_close_cycles() {
    let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  br bb1\nbb1:\n  cond_br undef, bb1, bb2\nbb2:\n  cond_br undef, bb1, bb3\nbb3:\n  unreachable\n}\n";
    let module = silkit_text::parse_module(text).module;
    let graph =
        silkit_graph::control_flow(module.functions.values().next().expect("f"), &|_| None).expect("a body");
    let back: Vec<(usize, usize)> = graph
        .edges
        .iter()
        .zip(graph.back_edges())
        .filter(|(_, back)| *back)
        .map(|(e, _)| (e.from, e.to))
        .collect();
    assert_eq!(back, [(1, 1), (2, 1)]);
    let svg = graph.to_svg(Some("a b.sil"));
    assert!(
        svg.contains("class=\"fn1 tn1 back\"") && svg.contains("class=\"fn2 tn1 back\""),
        "edges name their ends"
    );
    assert_eq!(svg.matches("class=\"loop\"").count(), 2, "bb1 and bb2 are in the loop");
    assert!(
        graph.to_dot().contains("\"bb2\" -> \"bb1\" [label=\"true\", color=\"#bc4c00\"]"),
        "{}",
        graph.to_dot()
    );
}

#[test]
fn lines_lead_to_the_file_and_hovering_shows_them_whole() {
    let long = "a_very_long_name".repeat(6);
    let text = format!(
        "sil @{long} : $@convention(thin) () -> ()\nsil @f : $@convention(thin) () -> () {{\nbb0:\n  %0 = function_ref @{long} : $@convention(thin) () -> ()\n  unreachable\n}}\n"
    );
    let parsed = silkit_text::parse_module(&text);
    let (id, function) = parsed.module.functions.iter().nth(1).expect("f");
    let places = parsed.source_map.function(id).expect("places");
    let line = |inst| Some(1 + text[..places.inst(inst)? as usize].matches('\n').count() as u32);
    let graph = silkit_graph::control_flow_at(function, &|_| None, &line).expect("a body");
    let svg = graph.to_svg(Some("f.sil"));
    assert!(svg.contains("<a href=\"f.sil#L5\">"), "{svg}");
    assert!(svg.contains(&format!("<title>%0 = function_ref {long}")), "{svg}");
    // The script finds nodes, and edges by their ends.
    assert!(svg.contains("<g class=\"node\" id=\"n0\"><title>bb0</title>"), "{svg}");
    assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count());
}

#[test]
fn what_is_near_a_node_is_a_part() {
    let chain: String = (0..6).map(|i| format!("sil @f{i} : $@convention(thin) () -> () {{\nbb0:\n  %0 = function_ref @f{} : $@convention(thin) () -> ()\n  %1 = apply %0() : $@convention(thin) () -> ()\n  unreachable\n}}\n", i + 1)).collect();
    let text = format!("{chain}sil @f6 : $@convention(thin) () -> ()\n");
    let graph = silkit_graph::calls(&silkit_text::parse_module(&text).module, &[], &|_| None);
    let ids = |graph: &Graph| graph.nodes.iter().map(|n| n.id.clone()).collect::<Vec<_>>();
    let neighbourhood = graph.near(&[3], 1, true);
    assert_eq!(
        (ids(&neighbourhood), neighbourhood.omitted),
        (vec!["f2".into(), "f3".into(), "f4".into()], 4)
    );
    assert_eq!(ids(&graph.near(&[3], 2, false)), ["f3", "f4", "f5"]);
    assert_eq!(neighbourhood.edges.iter().map(|e| (e.from, e.to)).collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    assert!(neighbourhood.to_svg(None).contains("(4 nodes are left out)"));
}

#[test]
fn calls_lead_to_what_a_body_names() {
    for module in examples() {
        let graph = silkit_graph::calls(&module, &[], &|_| None);
        let defined = module.functions.values().filter(|f| f.body.is_some()).count();
        assert_eq!(graph.nodes.iter().filter(|n| !n.is_external).count(), defined);
        for root in module.functions.values().filter(|f| f.body.is_some()) {
            let part = silkit_graph::calls(&module, &[root.name.as_str()], &|_| None);
            assert_eq!(part.nodes[0].id, root.name.as_str());
            assert!(part.nodes.len() <= graph.nodes.len());
        }
    }
}

#[test]
fn superclasses_are_drawn_above() {
    let text = "class A : B {}\nclass B : C {}\nclass C {}\nclass D : C {}\n";
    let module = silkit_text::parse_module(text).module;
    let graph = silkit_graph::classes(&declarations(&module));
    let tops: Vec<f64> = boxes(&graph.to_svg(None)).iter().map(|b| b[1]).collect();
    let top = |id: &str| tops[graph.nodes.iter().position(|n| n.id == id).expect(id)];
    assert!(top("C") < top("B") && top("B") < top("A"), "{tops:?}");
    assert_eq!(top("B"), top("D"), "{tops:?}");
    assert!(graph.to_dot().contains("rankdir=BT"));
    check_drawing(&graph.near(&[0], 1, true));
}

#[test]
fn classes_know_their_superclass_and_protocols() {
    let text =
        "protocol P {}\nclass A : P {}\nclass B : A {}\nextension B : Sendable {}\nstruct S : ~Copyable {}\n";
    let module = silkit_text::parse_module(text).module;
    let graph = silkit_graph::classes(&declarations(&module));
    let named = |i: usize| graph.nodes[i].id.as_str();
    let edges: Vec<_> = graph.edges.iter().map(|e| (named(e.from), named(e.to), e.is_weak)).collect();
    assert_eq!(edges, [("A", "P", true), ("B", "A", false), ("B", "Sendable", true)]);
    assert_eq!(graph.nodes.len(), 5);
}

#[test]
fn of_a_graph_that_is_too_large_a_part_is_drawn() {
    let blocks: String = (0..5100).map(|i| format!("bb{i}:\n  br bb{}\n", i + 1)).collect();
    let text = format!("sil @f : $@convention(thin) () -> () {{\n{blocks}bb5100:\n  unreachable\n}}\n");
    let module = silkit_text::parse_module(&text).module;
    let graph = silkit_graph::control_flow(module.functions.values().next().expect("f"), &|_| None);
    let svg = graph.expect("a body").to_svg(None);
    assert!(svg.contains("(101 nodes are left out)"));
    assert_eq!(boxes(&svg).len(), 5000);
}
