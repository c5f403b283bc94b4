//! Proves that edits changed nothing but what they replace: every token, comment and node of the syntax tree that no edit
//! touches is there afterwards, in the same order and below the same nodes.

use super::Refusal;
use super::edits::Edits;
use crate::facts::Span;
use crate::languages::{Tree, TreeNode, TreeToken};
use crate::sources::{Language, Source};

/// Why the edits are not what they seem; `None` when they change nothing else.
pub fn fault_of(source: &Source, tree: &Tree, edits: &Edits) -> Option<Refusal> {
    let after = match tree_after(source, edits) {
        Ok(after) => after,
        Err(reason) => return Some(format!("the result would not be Python: {reason}")),
    };
    let new_text = edits.applied_to(&source.text);
    let old = Side::new(&source.text, tree, edits.iter().map(|(span, _)| span).collect());
    let new = Side::new(&new_text, &after, edits.written());
    if let Some(reason) = cut_tokens(&old).or_else(|| cut_tokens(&new)) {
        return Some(reason);
    }
    if !old.kept_texts().eq(new.kept_texts()) {
        return Some("other words of the file would be read differently".to_owned());
    }
    let comments = |side: &Side<'_>, are_old: bool| -> Vec<String> {
        let comments = side.tree.comments().filter(|comment| !are_old || !side.is_removed_comment(*comment));
        comments.map(|span| side.text[span.range()].to_owned()).collect()
    };
    if !is_part_of(&comments(&old, true), &comments(&new, false)) {
        return Some("a comment would be lost".to_owned());
    }
    if !same_nodes(&old, &new) {
        return Some("other parts of the file would mean something else".to_owned());
    }
    let whole = edits.iter().zip(edits.written()).all(|((span, _), written)| {
        let was_expression = tree.exactly(span, |kind| kind.is_expression()).is_some();
        // One that stands alone may become a statement of another kind.
        let stood_alone = tree.exactly(span, |kind| kind.is_statement()).is_some();
        !was_expression || stood_alone || new.is_expression(written)
    });
    (!whole).then(|| "what is written would be taken apart by its surroundings".to_owned())
}

/// The tree of the text with the edits.
fn tree_after(source: &Source, edits: &Edits) -> Result<Tree, Refusal> {
    let text = edits.applied_to(&source.text);
    let Some(Ok(cells)) = &source.cells else {
        return Tree::of(&Source::new(None, source.name.clone(), Language::Python, text));
    };
    let parts = cells.iter().map(|cell| {
        // What is put in at the start of a cell belongs to it, and not to the one before.
        let before: i64 =
            edits.iter().filter(|(span, _)| span.end < cell.range.start as u32).map(grown).sum();
        let inside = edits
            .iter()
            .filter(|(span, _)| span.start >= cell.range.start as u32 && span.end <= cell.range.end as u32);
        let start = cell.range.start as i64 + before;
        let end = cell.range.end as i64 + before + inside.map(grown).sum::<i64>();
        start as usize..end as usize
    });
    Ok(Tree::of_cells(&text, parts))
}

fn grown((span, new): (Span, &str)) -> i64 {
    new.len() as i64 - i64::from(span.end - span.start)
}

/// One of the two texts, with what belongs to the edits in it.
struct Side<'a> {
    text: &'a str,
    tree: &'a Tree,
    /// What is replaced, or what is written.
    touched: Vec<Span>,
    /// Tokens that no edit touches.
    kept: Vec<TreeToken>,
}

impl<'a> Side<'a> {
    fn new(text: &'a str, tree: &'a Tree, touched: Vec<Span>) -> Side<'a> {
        let is_kept = |token: &TreeToken| token.is_word() && !holds_part_of(&touched, token.span);
        let kept = tree.tokens.iter().copied().filter(is_kept).collect();
        Side { text, tree, touched, kept }
    }

    fn kept_texts(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().map(|token| &self.text[token.span.range()])
    }

    /// The kept tokens of a node, as a range of their numbers; `None` when it has none.
    fn extent(&self, node: &TreeNode) -> Option<(usize, usize)> {
        let first = self.kept.partition_point(|token| token.span.start < node.span.start);
        let behind = self.kept.partition_point(|token| token.span.end <= node.span.end);
        (first < behind).then_some((first, behind))
    }

    /// Whether a node begins in what an edit touches.
    fn begins_in_edit(&self, node: &TreeNode) -> bool {
        let start = node.span.start;
        self.touched.iter().any(|span| span.start <= start && start < span.end)
    }

    /// Whether an edit is about this comment: it replaces no code.
    fn is_removed_comment(&self, comment: Span) -> bool {
        let mut around =
            self.touched.iter().filter(|edit| edit.start <= comment.start && comment.end <= edit.end);
        around.any(|edit| {
            let first = self.tree.tokens.partition_point(|token| token.span.end <= edit.start);
            let inside = self.tree.tokens[first..].iter().take_while(|token| token.span.start < edit.end);
            !inside.clone().any(TreeToken::is_word)
        })
    }

    /// Whether one expression stands exactly here.
    fn is_expression(&self, place: Span) -> bool {
        let text = &self.text[place.range()];
        let start = place.start + (text.len() - text.trim_start().len()) as u32;
        let trimmed = Span { start, end: start + text.trim().len() as u32 };
        // In brackets of its own it is one too.
        let inner = match text.trim().starts_with('(') && text.trim().ends_with(')') {
            true => Span { start: trimmed.start + 1, end: trimmed.end - 1 },
            false => trimmed,
        };
        [trimmed, inner]
            .into_iter()
            .any(|place| self.tree.exactly(place, |kind| kind.is_expression()).is_some())
    }
}

/// Whether an edit touches a part of a span. What is put in at its ends does not.
fn holds_part_of(touched: &[Span], span: Span) -> bool {
    let first = touched.partition_point(|edit| edit.end <= span.start);
    touched
        .get(first)
        .is_some_and(|edit| edit.start < span.end && (edit.start < edit.end || edit.start > span.start))
}

fn cut_tokens(side: &Side<'_>) -> Option<Refusal> {
    let mut ends = side.touched.iter().flat_map(|span| [span.start, span.end]);
    ends.any(|at| side.tree.is_inside_token(at)).then(|| "a word would be cut apart".to_owned())
}

/// Whether all of one list stand in another, in their order.
fn is_part_of(part: &[String], whole: &[String]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|text| whole.any(|other| other == text))
}

/// Whether the nodes that have kept tokens are the same on both sides. What begins in an edit may come or go around them.
fn same_nodes(old: &Side<'_>, new: &Side<'_>) -> bool {
    let kept = |side: &Side<'_>| -> Vec<(TreeNode, (usize, usize))> {
        let nodes = side.tree.nodes.iter();
        nodes.filter_map(|node| Some((*node, side.extent(node)?))).collect()
    };
    let (before, after) = (kept(old), kept(new));
    let same = |at: usize, to: usize| match (before.get(at), after.get(to)) {
        (Some((one, extent)), Some((other, other_extent))) => {
            extent == other_extent && one.kind == other.kind && one.detail == other.detail
        }
        _ => false,
    };
    let (mut at, mut to) = (0, 0);
    loop {
        match (before.get(at), after.get(to)) {
            (None, None) => return true,
            // A `try` that is written around another one looks like it.
            (_, Some((other, _))) if new.begins_in_edit(other) && same(at, to + 1) => to += 1,
            (Some(_), Some(_)) if same(at, to) => (at, to) = (at + 1, to + 1),
            (_, Some((other, _))) if new.begins_in_edit(other) => to += 1,
            (Some((one, _)), _) if old.begins_in_edit(one) => at += 1,
            _ => return false,
        }
    }
}
