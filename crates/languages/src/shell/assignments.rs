//! Lines that hold assignments only. The grammar takes two of them on one line for the environment of the command on the
//! next line: in
//!
//! ```sh
//! CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1
//! python train.py
//! ```
//!
//! the program gets neither. So where the grammar does that, the text is parsed once more with a `;` behind them.

use crate::languages::grammar;
use tree_sitter::{Node, Tree};

/// The tree of a script; its places are those of `text`. `None` when it was given up.
pub(super) fn parse(text: &str) -> Option<Tree> {
    let language = tree_sitter_bash::LANGUAGE.into();
    let tree = grammar::parse(&language, text)?;
    if !text.lines().any(may_hold_only_assignments) {
        return Some(tree);
    }
    let ends = ends_of_lines(&tree, text);
    if ends.is_empty() {
        return Some(tree);
    }
    let mut separated = text.as_bytes().to_vec();
    for end in ends {
        separated[end] = b';';
    }
    // Each is written over a blank or the end of a line, so the text stays one.
    let separated = String::from_utf8(separated).ok()?;
    grammar::parse(&language, &separated)
}

/// Whether it begins with an assignment and has another `=`; most scripts have no such line.
fn may_hold_only_assignments(line: &str) -> bool {
    let line = line.trim_start();
    let name = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(line.len());
    name > 0 && line[name..].starts_with(['=', '+', '[']) && line[name..].matches('=').count() > 1
}

/// Behind the last assignment of each line from which a command takes its environment and which is above it.
fn ends_of_lines(tree: &Tree, text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut pending = vec![tree.root_node()];
    while let Some(node) = pending.pop() {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        if node.kind() == "command" {
            let pairs = children.windows(2).filter(|pair| pair[0].kind() == "variable_assignment");
            let above =
                pairs.filter(|pair| ends_its_line(&text[pair[0].end_byte()..pair[1].end_byte()], pair[1]));
            ends.extend(above.map(|pair| pair[0].end_byte()));
        }
        pending.extend(children);
    }
    ends
}

/// Whether the statement ends in what follows an assignment, up to the end of the node that is next to it.
fn ends_its_line(follows: &str, next: Node<'_>) -> bool {
    let between = &follows[..follows.len() - next.byte_range().len()];
    // A comment lasts until the end of its line.
    next.kind() == "comment" || between.replace("\\\r\n", "").replace("\\\n", "").contains('\n')
}
