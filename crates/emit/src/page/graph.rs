//! The graph of states as SVG: one column per number of calls, states below each other.

use std::fmt::Write;

use super::{Graph, escape};

const COLUMN: usize = 170;
const ROW: usize = 46;
const RADIUS: usize = 12;

/// Writes the section of the graph.
pub(super) fn write(text: &mut String, graph: &Graph) {
    let places = places(graph);
    let width = places.iter().map(|place| place.0).max().unwrap_or(0) + COLUMN;
    let height = places.iter().map(|place| place.1).max().unwrap_or(0) + ROW;
    let _ = write!(
        text,
        "<section id=\"graph\">\n<h2>States</h2>\n<p id=\"state\" role=\"status\">Click a state to see how it \
         is reached and which tests begin there.</p>\n<div class=\"canvas\"><svg width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"states and calls\">\n"
    );
    for call in &graph.calls {
        let (Some(from), Some(to)) = (places.get(call.from), places.get(call.to)) else { continue };
        let special = if call.is_special { " special" } else { "" };
        // Ways back run below ways forth.
        let bend = if from.0 <= to.0 { -18_i64 } else { 18 };
        let middle = (from.0.midpoint(to.0), from.1.midpoint(to.1));
        let bent = i64::try_from(middle.1).unwrap_or(0) + bend;
        let _ = writeln!(
            text,
            "<path class=\"call{special}\" data-from=\"s{}\" data-to=\"s{}\" d=\"M{} {} Q{} {bent} {} {}\">\
             <title>{}</title></path>",
            call.from,
            call.to,
            from.0,
            from.1,
            middle.0,
            to.0,
            to.1,
            escape(&call.label)
        );
    }
    for (idx, (state, place)) in graph.states.iter().zip(&places).enumerate() {
        let special = if state.is_special { " special" } else { "" };
        let _ = writeln!(
            text,
            "<g id=\"s{idx}\" class=\"state{special}\" tabindex=\"0\" data-way=\"{}\" data-observed=\"{}\">\
             <circle cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\"></circle><text x=\"{x}\" y=\"{below}\">{idx}</text>\
             <title>{}</title></g>",
            escape(&state.way),
            escape(&state.observed),
            escape(&state.way),
            x = place.0,
            y = place.1,
            below = place.1 + 4,
        );
    }
    text.push_str("</svg></div>\n</section>\n");
}

fn places(graph: &Graph) -> Vec<(usize, usize)> {
    let mut in_column: Vec<usize> = Vec::new();
    graph
        .states
        .iter()
        .map(|state| {
            if in_column.len() <= state.depth {
                in_column.resize(state.depth + 1, 0);
            }
            in_column[state.depth] += 1;
            (state.depth * COLUMN + COLUMN / 4, in_column[state.depth] * ROW)
        })
        .collect()
}
