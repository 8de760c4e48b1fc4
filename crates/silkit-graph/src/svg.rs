//! SVG output: text is selectable, colors follow the viewer's light or dark mode, tooltips show whole lines, and
//! lines link to their positions in the file.

use super::layout::{self, Input, InputEdge, Route};
use super::{Edge, Graph, GraphKind, Node, NodeLine, abbreviated};
use silkit_diag::grouped;
use silkit_diag::render::escape_html;
use std::fmt::Write;

/// The maximum number of nodes that are drawn.
const MAX_NODES: usize = 5000;
const FONT_SIZE: f64 = 12.0;
/// The width of a character of a monospaced font, relative to its size.
const CHARACTER: f64 = 0.602;
/// The height of a line of text.
pub(super) const LINE: f64 = FONT_SIZE * 1.3;
/// The padding of the text in its box.
const PADDING: (f64, f64) = (8.0, 6.0);
const MARGIN: f64 = 14.0;
/// The height of the title.
const TITLE: f64 = 26.0;

const STYLE: &str = "\
<style>
svg { background: #fff; color: #1f2328; }
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: currentColor; white-space: pre; }
text.title { font-weight: bold; paint-order: stroke; stroke: #fff; stroke-width: 4; }
.legend { font-weight: normal; }
a:hover text { text-decoration: underline; }
rect { fill: #f6f8fa; stroke: #8c959f; }
rect.loop { stroke: #bc4c00; }
rect.external { stroke-dasharray: 3 3; }
path { fill: none; stroke: #57606a; stroke-width: 1.3; }
path.weak { stroke-dasharray: 5 4; }
path.back { stroke: #bc4c00; }
marker path { fill: #57606a; stroke: none; }
#back path { fill: #bc4c00; }
.traced path:not(.near) { opacity: 0.12; }
path.near { stroke-width: 2.2; }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; color: #e6edf3; }
  text.title { stroke: #0d1117; }
  rect { fill: #161b22; stroke: #6e7681; }
  path { stroke: #8d96a0; }
  rect.loop, path.back { stroke: #f0883e; }
  marker path { fill: #8d96a0; }
  #back path { fill: #f0883e; }
}
</style>
";

/// The behavior in a browser, for a drawing that is opened by itself: one that does not fit begins at its topmost node, dragging
/// moves it, the wheel zooms, a double click shows all of it, and pointing at a node traces its edges. The title, which tells what
/// is left out, stays in view. Elsewhere, such as in an image of a page, the drawing is static.
const SCRIPT: &str = r#"<script><![CDATA[
(() => {
const svg = document.documentElement;
if (svg.nodeName !== 'svg') return;
const [, , W, H] = svg.getAttribute('viewBox').split(' ').map(Number);
const title = svg.querySelector('.title');
svg.append(title);
let view, grip;
const show = (x, y, k) => {
  view = { x, y, k };
  svg.setAttribute('viewBox', [x, y, innerWidth / k, innerHeight / k].join(' '));
  title.setAttribute('transform', `translate(${x} ${y}) scale(${1 / k})`);
};
const all = () => {
  const k = Math.min(1, innerWidth / W, innerHeight / H);
  show(Math.min(0, (W - innerWidth / k) / 2), 0, k);
};
const trace = node => {
  svg.querySelectorAll('.near').forEach(edge => edge.classList.remove('near'));
  svg.classList.toggle('traced', !!node);
  if (node) svg.querySelectorAll('.f' + node.id + ',.t' + node.id).forEach(edge => edge.classList.add('near'));
};
svg.setAttribute('width', '100%');
svg.setAttribute('height', '100%');
svg.style.overflow = 'hidden';
const boxes = [...svg.querySelectorAll('g.node rect')].map(box => ['x', 'y', 'width'].map(name => +box.getAttribute(name)));
const [first] = boxes.sort((a, b) => a[1] - b[1] || a[0] - b[0]);
if ((W <= innerWidth && H <= innerHeight) || !first) all();
else {
  const middle = W <= innerWidth ? W / 2 : Math.min(W - innerWidth / 2, Math.max(innerWidth / 2, first[0] + first[2] / 2));
  show(middle - innerWidth / 2, 0, 1);
}
addEventListener('resize', () => show(view.x, view.y, view.k));
addEventListener('wheel', event => {
  event.preventDefault();
  const k = Math.max(0.005, Math.min(4, view.k * Math.exp(-event.deltaY / 400)));
  const [x, y] = [view.x + event.clientX / view.k, view.y + event.clientY / view.k];
  show(x - event.clientX / k, y - event.clientY / k, k);
}, { passive: false });
addEventListener('pointerdown', event => { if (!event.target.closest('text')) grip = { x: event.clientX, y: event.clientY, view }; });
addEventListener('pointermove', event => {
  if (grip) show(grip.view.x - (event.clientX - grip.x) / view.k, grip.view.y - (event.clientY - grip.y) / view.k, view.k);
});
addEventListener('pointerup', () => grip = null);
addEventListener('dblclick', event => { if (!event.target.closest('text')) all(); });
addEventListener('pointerover', event => { if (!grip) trace(event.target.closest('g.node')); });
})();
]]></script>
"#;

/// Returns the marker of an arrow head.
fn marker(id: &str) -> String {
    format!(
        "<marker id=\"{id}\" viewBox=\"0 0 10 8\" refX=\"9\" refY=\"4\" markerWidth=\"8\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0 0 10 4 0 8z\"/></marker>"
    )
}

impl Graph {
    /// Returns the graph as a drawing, in time proportional to its size for the layout's fixed number of sweeps. If
    /// there are more than 5,000 nodes, only those nearest to the first ones are drawn, and the title gives the
    /// number of omitted nodes.
    ///
    /// Lines with a line number link to `file` if it is given.
    pub fn to_svg(&self, file: Option<&str>) -> String {
        if self.nodes.len() > MAX_NODES {
            return self.limited(MAX_NODES).to_svg(file);
        }
        let is_back = layout::back_edges(self.nodes.len(), &self.ends());
        let input = Input {
            sizes: self.nodes.iter().map(size).collect(),
            edges: (self.edges.iter().zip(&is_back))
                .map(|(edge, &is_back)| InputEdge {
                    from: edge.from,
                    to: edge.to,
                    label: text_width(&abbreviated(&edge.label)),
                    leads_up: is_back != (self.kind == GraphKind::Classes),
                })
                .collect(),
        };
        let drawing = layout::lay_out(&input);
        let mut content = String::new();
        for (index, edge) in self.edges.iter().enumerate() {
            if let Some(route) = &drawing.routes[index] {
                draw_edge(&mut content, route, edge, is_back[index] || edge.from == edge.to);
            }
        }
        let is_cyclic = layout::cyclic_nodes(self.nodes.len(), &self.ends());
        for (index, node) in self.nodes.iter().enumerate() {
            draw_node(&mut content, (index, node), drawing.corners[index], is_cyclic[index], file);
        }
        let mut caption = self.caption();
        let hidden = drawing.routes.iter().filter(|route| route.is_none()).count();
        if hidden > 0 {
            let _ = write!(caption, " ({} long edges are not drawn)", grouped(hidden));
        }
        let legend = self.legend(is_back.contains(&true) || is_cyclic.contains(&true));
        let title = if legend.is_empty() { TITLE } else { TITLE + LINE };
        let width = (drawing.width.max(text_width(&caption)).max(text_width(&legend)) + 2.0 * MARGIN).ceil();
        let height = (drawing.height + title + 2.0 * MARGIN).ceil();
        let (caption, legend) = (escape_html(&caption), escape_html(&legend));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" preserveAspectRatio=\"xMinYMin\">\n\
             <title>{caption}</title>\n{STYLE}<defs>{}{}</defs>\n\
             <text class=\"title\" x=\"{MARGIN}\" y=\"{:.1}\">{caption}\
             <tspan class=\"legend\" x=\"{MARGIN}\" dy=\"{LINE:.1}\">{legend}</tspan></text>\n\
             <g transform=\"translate({MARGIN} {:.1})\">\n{content}</g>\n{SCRIPT}</svg>\n",
            marker("head"),
            marker("back"),
            MARGIN + FONT_SIZE,
            MARGIN + title,
        )
    }
}

fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * FONT_SIZE * CHARACTER
}

/// Returns the size of the box of a node.
fn size(node: &Node) -> (f64, f64) {
    let shown = node.shown();
    let width = shown.iter().map(|(text, _)| text_width(text)).fold(0.0, f64::max);
    (width + 2.0 * PADDING.0, shown.len() as f64 * LINE + 2.0 * PADDING.1)
}

// Writing to a string cannot fail.

fn draw_node(
    out: &mut String,
    (index, node): (usize, &Node),
    (x, y): (f64, f64),
    is_cyclic: bool,
    file: Option<&str>,
) {
    let (width, height) = size(node);
    let class = match (is_cyclic, node.is_external) {
        (true, _) => " class=\"loop\"",
        (_, true) => " class=\"external\"",
        _ => "",
    };
    let _ = writeln!(
        out,
        "<g class=\"node\" id=\"n{index}\"><title>{}</title>\
         <rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"4\"{class}/>",
        escape_html(&node.id)
    );
    for (row, (text, line)) in node.shown().iter().enumerate() {
        let top = y + PADDING.1 + row as f64 * LINE + FONT_SIZE * 0.9;
        let element = format!(
            "<text x=\"{:.1}\" y=\"{top:.1}\">{}{}</text>",
            x + PADDING.0,
            escape_html(text),
            tip(node, text, *line)
        );
        let target = file.zip(line.and_then(|line| line.number));
        let _ = match target {
            Some((file, number)) => {
                writeln!(out, "<a href=\"{}#L{number}\">{element}</a>", escape_html(file))
            }
            None => writeln!(out, "{element}"),
        };
    }
    out.push_str("</g>\n");
}

/// Returns the tooltip of a line: the whole line, and the full name if the line abbreviates it.
fn tip(node: &Node, shown: &str, line: Option<&NodeLine>) -> String {
    let Some(line) = line else { return String::new() };
    let is_named = node.lines.len() > 1 || line.text.contains(&node.id);
    match (line.text == shown, is_named) {
        (true, true) => String::new(),
        (_, true) => format!("<title>{}</title>", escape_html(&line.text)),
        (_, false) => format!("<title>{}\n{}</title>", escape_html(&line.text), escape_html(&node.id)),
    }
}

fn draw_edge(out: &mut String, route: &Route, edge: &Edge, is_back: bool) {
    let mut path = String::new();
    let mut last = (0.0, 0.0);
    for (index, &(x, y)) in route.points.iter().enumerate() {
        let _ = match index {
            0 => write!(path, "M{x:.1} {y:.1}"),
            _ if index % 2 == 1 => write!(path, "L{x:.1} {y:.1}"),
            _ => {
                let middle = (last.1 + y) / 2.0;
                write!(path, "C{:.1} {middle:.1} {x:.1} {middle:.1} {x:.1} {y:.1}", last.0)
            }
        };
        last = (x, y);
    }
    let Edge { from, to, .. } = edge;
    let weak = if edge.is_weak { " weak" } else { "" };
    let back = if is_back { " back" } else { "" };
    let head = if is_back { "back" } else { "head" };
    let _ = writeln!(
        out,
        "<path d=\"{path}\" class=\"fn{from} tn{to}{weak}{back}\" marker-end=\"url(#{head})\"/>"
    );
    if let Some((x, y)) = route.label {
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            y + FONT_SIZE * 0.35,
            escape_html(&abbreviated(&edge.label))
        );
    }
}
