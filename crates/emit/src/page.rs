//! A page about the behaviour of a class: properties, tests and the graph of states in one HTML file that
//! needs nothing else, to be searched and clicked, in light and dark.
//!
//! The data stands in the page once, as tables and lists that can be read without scripts; the script only
//! filters, connects and draws.

mod graph;

use std::fmt::Write;

const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// What the page shows.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The class, with dots.
    pub class: String,
    /// Lines about the run: what was tried, how hard.
    pub facts: Vec<String>,
    /// Properties in the order in which they are shown.
    pub properties: Vec<Property>,
    /// Tests in the order in which they are shown.
    pub tests: Vec<Test>,
    /// The states, if there are few enough to be looked at.
    pub graph: Option<Graph>,
}

/// A property.
#[derive(Debug, Clone, Default)]
pub struct Property {
    /// `universal`, `conditional` or `common`.
    pub kind: String,
    /// The template it comes from.
    pub template: String,
    /// In the notation of the paper.
    pub notation: String,
    /// In a sentence.
    pub sentence: String,
    /// Number of satisfying instances.
    pub satisfying: usize,
    /// Number of violating instances.
    pub violating: usize,
    /// What else there is to say.
    pub note: String,
}

/// A test.
#[derive(Debug, Clone, Default)]
pub struct Test {
    /// Its method's name.
    pub name: String,
    /// Whether it shows something special.
    pub is_special: bool,
    /// Whether it shows something common.
    pub is_common: bool,
    /// Java.
    pub code: String,
    /// How its entry state differs.
    pub note: String,
    /// Positions of properties it satisfies.
    pub satisfies: Vec<usize>,
    /// Positions of properties it violates.
    pub violates: Vec<usize>,
    /// Its entry state in the graph.
    pub state: Option<usize>,
}

/// States and calls between them.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// States in order of discovery.
    pub states: Vec<State>,
    /// Calls that lead from one to another.
    pub calls: Vec<Call>,
}

/// A state.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The calls that lead there.
    pub way: String,
    /// What observers say.
    pub observed: String,
    /// Number of calls that lead there.
    pub depth: usize,
    /// Whether a special test begins here.
    pub is_special: bool,
}

/// A call from one state to another.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// Position of the state before.
    pub from: usize,
    /// Position of the state afterwards.
    pub to: usize,
    /// The call.
    pub label: String,
    /// Whether a special test makes it.
    pub is_special: bool,
}

/// Writes the page.
pub fn render(page: &Page) -> String {
    let mut text = String::new();
    let simple = page.class.rsplit('.').next().unwrap_or_default();
    let _ = write!(
        text,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{} behaves</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>How <code>{}</code> behaves</h1>\n",
        escape(simple),
        escape(&page.class)
    );
    for fact in &page.facts {
        let _ = writeln!(text, "<p class=\"fact\">{}</p>", escape(fact));
    }
    text.push_str(
        "<div class=\"tools\"><label>Search <input id=\"search\" type=\"search\" \
         placeholder=\"push, throws, universal …\"></label> <span id=\"found\" role=\"status\"></span> \
         <button id=\"all\" type=\"button\">Show all</button> \
         <button id=\"theme\" type=\"button\">Light or dark</button></div>\n</header>\n<main>\n",
    );
    write_properties(&mut text, page);
    write_tests(&mut text, page);
    if let Some(graph) = &page.graph {
        graph::write(&mut text, graph);
    }
    let _ = write!(text, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    text
}

fn write_properties(text: &mut String, page: &Page) {
    text.push_str("<section id=\"properties\">\n<h2>Properties</h2>\n<ol>\n");
    for (idx, property) in page.properties.iter().enumerate() {
        let _ = write!(
            text,
            "<li id=\"p{idx}\" class=\"item {kind}\" tabindex=\"0\"><span class=\"kind\">{kind}</span> \
             <span class=\"sentence\">{}</span><code>{}</code><span class=\"count\">satisfied by {}, \
             violated by {}; template {}</span>",
            escape(&property.sentence),
            escape(&property.notation),
            property.satisfying,
            property.violating,
            escape(&property.template),
            kind = escape(&property.kind),
        );
        if !property.note.is_empty() {
            // What makes a property doubtful stands out.
            let class = if property.violating > 0 { "note" } else { "count" };
            let _ = write!(text, "<span class=\"{class}\">{}</span>", escape(&property.note));
        }
        text.push_str("</li>\n");
    }
    text.push_str("</ol>\n</section>\n");
}

fn write_tests(text: &mut String, page: &Page) {
    text.push_str("<section id=\"tests\">\n<h2>Tests</h2>\n<ol>\n");
    for (idx, test) in page.tests.iter().enumerate() {
        let kind = match (test.is_special, test.is_common) {
            (true, true) => "special and common",
            (true, false) => "special",
            _ => "common",
        };
        let state = test.state.map_or(String::new(), |state| format!(" data-state=\"s{state}\""));
        let all: Vec<String> = test
            .violates
            .iter()
            .chain(&test.satisfies)
            .map(|property| format!("p{property}"))
            .collect();
        let _ = write!(
            text,
            "<li id=\"t{idx}\" class=\"item {kind}\" tabindex=\"0\" data-properties=\"{}\"{state}>\
             <span class=\"kind\">{kind}</span> <span class=\"sentence\">{}</span>",
            all.join(" "),
            escape(&test.name)
        );
        if !test.note.is_empty() {
            let _ = write!(text, "<span class=\"note\">{}</span>", escape(&test.note));
        }
        let _ = write!(text, "<pre>{}</pre>", escape(&test.code));
        for (title, properties) in [("violates", &test.violates), ("satisfies", &test.satisfies)] {
            for &property in properties {
                let notation = page.properties.get(property).map_or("", |one| &one.notation);
                let _ = write!(
                    text,
                    "<span class=\"shows {title}\">{title} <code>{}</code></span>",
                    escape(notation)
                );
            }
        }
        text.push_str("</li>\n");
    }
    text.push_str("</ol>\n</section>\n");
}

/// Text that stands in HTML for what it says.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{Page, Property, render};

    #[test]
    fn what_looks_like_markup_stays_text() {
        let notation = "pop(<init>().state).retval == \"</code><script>\"".to_owned();
        let property = Property { notation, ..Property::default() };
        let text = render(&Page { properties: vec![property], ..Page::default() });
        assert!(text.contains("pop(&lt;init&gt;().state).retval == &quot;&lt;/code&gt;"));
        assert_eq!(text.matches("<script>").count(), 1);
    }
}
