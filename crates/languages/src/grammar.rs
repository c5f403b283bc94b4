//! Grammars of tree-sitter. Texts that are no code can cost a parser far more than their length (thousands of
//! pipes in one pipeline, say), so each is given up after more time than any real script takes.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree};

/// Why a text was given up.
pub(super) const TANGLED: &str = "too tangled to be read: nothing that people write takes this long";

/// More pipes than this in one pipeline need memory without end before the time is over.
const MOST_PIPES: usize = 5000;

/// A script of 100 KiB takes a fiftieth of it.
const LONGEST: Duration = Duration::from_secs(2);

/// The tree of a text; `None` when it was given up.
pub(super) fn parse(language: &Language, text: &str) -> Option<Tree> {
    if pipes_in_a_row(text) > MOST_PIPES {
        return None;
    }
    let mut parser = Parser::new();
    // The grammar is compiled in and fits the parser.
    parser.set_language(language).ok()?;
    // A browser does not tell the time here; a page that asks gives up by itself.
    let start = (!cfg!(target_family = "wasm")).then(Instant::now);
    let mut progress = |_: &ParseState| match start.is_some_and(|start| start.elapsed() > LONGEST) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// How many places of a text the grammar does not know.
pub(super) fn faults(tree: &Tree) -> usize {
    let mut faults = 0;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        faults += usize::from(node.is_error() || node.is_missing());
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return faults;
            }
        }
    }
}

/// The most pipes between two ends of lines that end a pipeline.
fn pipes_in_a_row(text: &str) -> usize {
    let mut most = 0;
    let mut pipes = 0;
    for line in text.split('\n') {
        pipes += memchr::memchr_iter(b'|', line.as_bytes()).count();
        most = most.max(pipes);
        if !line.trim_end().ends_with(['|', '\\']) {
            pipes = 0;
        }
    }
    most
}
