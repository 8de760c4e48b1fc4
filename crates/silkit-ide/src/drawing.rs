//! Drawings of functions.

use crate::Document;
use silkit_graph::control_flow_at;

impl Document {
    /// Returns the control flow of the function around an offset as an SVG document, and the name of the function. The
    /// links of its lines are `#L12`: their lines in the text, starting at 1.
    pub fn control_flow(&self, offset: usize) -> Option<(String, String)> {
        let at = self.body_at(offset)?;
        let (_, function) = at.function?;
        let text = self.text().as_bytes();
        // Lines are counted once, in the order of the text.
        let mut starts: Vec<(u32, u32)> = Vec::new();
        let (mut from, mut line) = (0, 1);
        let mut places: Vec<u32> = at.body.insts().filter_map(|inst| at.map.inst(inst)).collect();
        places.sort_unstable();
        for place in places {
            line +=
                memchr::memchr_iter(b'\n', text.get(from..place as usize).unwrap_or_default()).count() as u32;
            from = place as usize;
            starts.push((place, line));
        }
        let line_of = |inst| {
            let place = at.map.inst(inst)?;
            let found = starts.binary_search_by_key(&place, |(at, _)| *at).ok()?;
            Some(starts[found].1)
        };
        let demangle = |symbol: &str| silkit_demangle::demangle(symbol, silkit_demangle::Style::Simplified);
        let graph = control_flow_at(function, &demangle, &line_of)?;
        Some((crate::readable(function.name.as_str()), graph.to_svg(Some(""))))
    }
}
