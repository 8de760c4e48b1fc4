//! Drawing: the layout is a library's, the SVG is written here, so that its text can be selected,
//! lines are aligned, and colours follow the viewer's light or dark mode.

use super::Graph;
use layout::core::base::Orientation;
use layout::core::format::{ClipHandle, RenderBackend};
use layout::core::geometry::Point;
use layout::core::style::{LineStyleKind, StyleAttr};
use layout::std_shapes::shapes::{Arrow, Element, LineEndKind, ShapeKind};
use layout::topo::layout::VisualGraph;
use std::fmt::{self, Write};

/// A larger drawing helps nobody, and takes long to lay out.
const MAX_ELEMENTS: usize = 600;
const FONT_SIZE: usize = 12;
/// The width of a character of a monospaced font in parts of its size.
const CHARACTER: f64 = 0.602;

const STYLE: &str = "\
<style>
svg { background: #fff; color: #1f2328; }
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: currentColor; white-space: pre; }
rect { fill: #f6f8fa; stroke: #8c959f; }
path { fill: none; stroke: #57606a; stroke-width: 1.3; }
path.weak { stroke-dasharray: 5 4; }
marker path { fill: #57606a; stroke: none; }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; color: #e6edf3; }
  rect { fill: #161b22; stroke: #6e7681; }
  path { stroke: #8d96a0; }
  marker path { fill: #8d96a0; }
}
</style>
<defs><marker id=\"head\" viewBox=\"0 0 10 8\" refX=\"9\" refY=\"4\" markerWidth=\"8\" markerHeight=\"7\" \
orient=\"auto\"><path d=\"M0 0 10 4 0 8z\"/></marker></defs>
";

/// A graph that is too large to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The number of nodes.
    pub nodes: usize,
    /// The number of edges.
    pub edges: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes and {} edges are too many to draw", self.nodes, self.edges)
    }
}

impl std::error::Error for TooLarge {}

impl Graph {
    /// Returns the graph as a drawing.
    ///
    /// # Errors
    /// Where it has too many nodes and edges for a drawing that people can read.
    pub fn to_svg(&self) -> Result<String, TooLarge> {
        let too_large = TooLarge { nodes: self.nodes.len(), edges: self.edges.len() };
        if self.nodes.len() + self.edges.len() > MAX_ELEMENTS {
            return Err(too_large);
        }
        let mut canvas = Canvas::default();
        if !self.nodes.is_empty() {
            // The layout expects well-formed graphs only; whatever else it does must not end the process.
            let drawn = std::panic::catch_unwind(|| {
                let mut canvas = Canvas::default();
                self.layout().do_it(false, false, false, &mut canvas);
                canvas
            });
            canvas = drawn.map_err(|_| too_large)?;
        }
        Ok(canvas.finish(&self.title))
    }

    fn layout(&self) -> VisualGraph {
        let mut graph = VisualGraph::new(Orientation::TopToBottom);
        let look = StyleAttr { font_size: FONT_SIZE, ..StyleAttr::simple() };
        let handles: Vec<_> = self
            .nodes
            .iter()
            .map(|node| {
                let text = node.lines.join("\n");
                let shape = ShapeKind::new_box(&text);
                graph.add_node(Element::create(shape, look.clone(), Orientation::TopToBottom, size(&text)))
            })
            .collect();
        for edge in &self.edges {
            let style = if edge.is_weak { LineStyleKind::Dashed } else { LineStyleKind::Normal };
            let ends = (LineEndKind::None, LineEndKind::Arrow);
            let arrow = Arrow::new(ends.0, ends.1, style, &edge.label, &look, &None, &None);
            graph.add_edge(arrow, handles[edge.from], handles[edge.to]);
        }
        graph
    }
}

/// Returns the size of a text in its box.
fn size(text: &str) -> Point {
    let width = text.lines().map(|l| l.chars().count()).max().unwrap_or(0);
    let font = FONT_SIZE as f64;
    Point::new(width as f64 * font * CHARACTER + 16.0, text.lines().count() as f64 * font * 1.3 + 12.0)
}

/// The drawn elements and their extent.
#[derive(Default)]
struct Canvas {
    content: String,
    width: f64,
    height: f64,
}

impl Canvas {
    fn reach(&mut self, x: f64, y: f64) {
        self.width = self.width.max(x + 12.0);
        self.height = self.height.max(y + 12.0);
    }

    fn finish(self, title: &str) -> String {
        let (w, h) = (self.width.ceil(), self.height.ceil());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n\
             <title>{}</title>\n{STYLE}{}</svg>\n",
            escaped(title),
            self.content
        )
    }
}

impl RenderBackend for Canvas {
    fn draw_rect(&mut self, xy: Point, size: Point, _: &StyleAttr, _: Option<String>, _: Option<ClipHandle>) {
        self.reach(xy.x + size.x, xy.y + size.y);
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.content,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\"/>",
            xy.x, xy.y, size.x, size.y
        );
    }

    fn draw_line(&mut self, start: Point, stop: Point, _: &StyleAttr, _: Option<String>) {
        self.reach(start.x.max(stop.x), start.y.max(stop.y));
        let _ = writeln!(
            self.content,
            "<path d=\"M{:.1} {:.1} {:.1} {:.1}\"/>",
            start.x, start.y, stop.x, stop.y
        );
    }

    fn draw_circle(&mut self, xy: Point, size: Point, look: &StyleAttr, properties: Option<String>) {
        let corner = Point::new(xy.x - size.x / 2.0, xy.y - size.y / 2.0);
        self.draw_rect(corner, size, look, properties, None);
    }

    fn draw_text(&mut self, xy: Point, text: &str, _: &StyleAttr) {
        let extent = size(text);
        let left = xy.x - extent.x / 2.0 + 8.0;
        let step = FONT_SIZE as f64 * 1.3;
        let top = xy.y - (text.lines().count() as f64 - 1.0) * step / 2.0 + FONT_SIZE as f64 * 0.35;
        self.reach(left + extent.x, xy.y + extent.y / 2.0);
        for (i, line) in text.lines().enumerate() {
            let y = top + i as f64 * step;
            let _ = writeln!(self.content, "<text x=\"{left:.1}\" y=\"{y:.1}\">{}</text>", escaped(line));
        }
    }

    fn draw_arrow(
        &mut self,
        path: &[(Point, Point)],
        dashed: bool,
        head: (bool, bool),
        _: &StyleAttr,
        _: Option<String>,
        _: &str,
    ) {
        let [first, second, rest @ ..] = path else { return };
        for point in path {
            self.reach(point.0.x.max(point.1.x), point.0.y.max(point.1.y));
        }
        let at = |p: &Point| format!("{:.1} {:.1}", p.x, p.y);
        let mut line = format!("M{}C{} {} {}", at(&first.0), at(&first.1), at(&second.0), at(&second.1));
        for point in rest {
            let _ = write!(line, "S{} {}", at(&point.0), at(&point.1));
        }
        let class = if dashed { " class=\"weak\"" } else { "" };
        // Edges against the direction of the layout are drawn backwards.
        let start = if head.0 { " marker-start=\"url(#head)\"" } else { "" };
        let end = if head.1 { " marker-end=\"url(#head)\"" } else { "" };
        let _ = writeln!(self.content, "<path d=\"{line}\"{class}{start}{end}/>");
    }

    fn create_clip(&mut self, _: Point, _: Point, _: usize) -> ClipHandle {
        0
    }
}

/// Text for XML, in which most control characters cannot be.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}
