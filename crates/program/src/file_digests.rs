//! The digests of the pieces of a file: what runs when it is imported, and the body of each function. A program rests on the
//! functions that it ran and not on their neighbours. Comments and blank lines are no part of anything.

use super::bindings::{Bindings, bindings_of};
use crate::code::{Code, Function};
use crate::facts::Span;
use crate::sources::{Digest, Language, Source};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// The digests of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigests {
    /// Of all that is neither the body of a function nor one of the bindings.
    pub top: Option<Digest>,
    /// What the top level binds with statements that do nothing else.
    pub bindings: Bindings,
    /// Of the body of each, by its number. That of a lambda is what it stands in. Empty where only the whole file has one.
    pub bodies: Vec<Digest>,
}

impl FileDigests {
    pub fn of(source: &Source, code: &Code<'_>) -> FileDigests {
        if source.language != Language::Python {
            return FileDigests { top: Some(Digest::of(&source.text)), ..FileDigests::default() };
        }
        let range = |span: &Span| span.start as usize..span.end as usize;
        let comments = code.remarks.comments.iter().map(|span| with_its_line(&source.text, range(span)));
        let mut idle: Vec<Range<usize>> =
            comments.chain(code.remarks.blank_lines.iter().map(range)).collect();
        idle.sort_unstable_by_key(|part| part.start);
        let mut cutting =
            DigestedText { text: &source.text, code, idle, inside: vec![Vec::new(); code.functions.len()] };
        let mut outermost = cutting.nest();
        let mut bodies: Vec<Option<Digest>> = vec![None; code.functions.len()];
        // What stands in another function has a later place, so that it is there when the outer one is asked for.
        for number in cutting.in_order().into_iter().rev() {
            let function = &code.functions[number];
            if !is_lambda(function) {
                let body = cutting.body(function);
                bodies[number] = Some(cutting.digest(body, &cutting.inside[number], &|_| true, &bodies));
            }
        }
        let bound = bindings_of(source, code);
        let bindings = Bindings::new(bound.iter().map(|binding| {
            // They ascend by their places.
            let behind = |place: usize| {
                outermost.partition_point(|&number| (code.functions[number].span.start as usize) < place)
            };
            let inside = &outermost[behind(binding.lines.start)..behind(binding.lines.end)];
            let statement = cutting.digest(binding.lines.clone(), inside, &is_read_from_outside, &bodies);
            (binding.name.into(), Digest::of(&(statement, binding.after)), binding.lines.clone())
        }));
        cutting.leave_out(bound.iter().map(|binding| binding.lines.clone()));
        let functions: FxHashSet<usize> = bound.iter().filter_map(|binding| binding.function).collect();
        outermost.retain(|number| !functions.contains(number));
        let top = cutting.digest(0..source.text.len(), &outermost, &is_read_from_outside, &bodies);
        let mut whole: Vec<Digest> = bodies.iter().map(|body| body.unwrap_or(top)).collect();
        for (outer, inside) in cutting.inside.iter().enumerate() {
            for &lambda in inside.iter().filter(|&&inner| is_lambda(&code.functions[inner])) {
                whole[lambda] = whole[outer];
            }
        }
        FileDigests { top: Some(top), bindings, bodies: whole }
    }

    /// The digest of what is not in functions, and of some of them.
    pub fn with_bodies(&self, numbers: &[u32]) -> Option<Digest> {
        let top = self.top?;
        let bodies: Option<Vec<Digest>> = match self.bodies.is_empty() {
            true => Some(Vec::new()),
            false => numbers.iter().map(|&number| self.bodies.get(number as usize).copied()).collect(),
        };
        Some(Digest::of(&(top, bodies?)))
    }
}

struct DigestedText<'a, 's> {
    text: &'a str,
    code: &'a Code<'s>,
    /// The comments and the blank lines, ascending.
    idle: Vec<Range<usize>>,
    /// The functions that stand right in the body of each, ascending by their places.
    inside: Vec<Vec<usize>>,
}

impl DigestedText<'_, '_> {
    fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.code.functions.len()).collect();
        let span = |number: usize| self.code.functions[number].span;
        order.sort_by_key(|&number| (span(number).start, std::cmp::Reverse(span(number).end)));
        order
    }

    /// Takes parts of the text, ascending, for as idle as comments.
    fn leave_out(&mut self, parts: impl Iterator<Item = Range<usize>>) {
        let parts: Vec<Range<usize>> = parts.collect();
        let lies_in = |idle: &Range<usize>| {
            let part = parts[..parts.partition_point(|part| part.start <= idle.start)].last();
            part.is_some_and(|part| idle.start < part.end)
        };
        self.idle.retain(|idle| !lies_in(idle));
        self.idle.extend(parts.iter().cloned());
        self.idle.sort_unstable_by_key(|part| part.start);
    }

    /// Finds in which body each function stands. What stands in none is the answer.
    fn nest(&mut self) -> Vec<usize> {
        let mut outermost = Vec::new();
        let mut around: Vec<usize> = Vec::new();
        for number in self.in_order() {
            let function = &self.code.functions[number];
            let start = function.span.start as usize;
            while around.last().is_some_and(|&outer| self.body(&self.code.functions[outer]).end <= start) {
                around.pop();
            }
            let holder =
                around.iter().rev().find(|&&outer| self.body(&self.code.functions[outer]).start <= start);
            match holder {
                Some(&outer) => self.inside[outer].push(number),
                None => outermost.push(number),
            }
            if !is_lambda(function) {
                around.push(number);
            }
        }
        outermost
    }

    /// From the first statement of a function to its end.
    fn body(&self, function: &Function<'_>) -> Range<usize> {
        let (start, end) = (function.span.start as usize, (function.span.end as usize).min(self.text.len()));
        let first = function.body.first().map_or(end, |step| step.span.start as usize);
        first.clamp(start.min(end), end)..end
    }

    /// The digest of a part of the text without comments and blank lines. Of the functions that stand right in it, those that
    /// are `told` are part of it, and of the others what can be seen from outside.
    fn digest(
        &self,
        part: Range<usize>,
        inside: &[usize],
        told: &dyn Fn(&Function<'_>) -> bool,
        bodies: &[Option<Digest>],
    ) -> Digest {
        Digest::made_by(|hasher| {
            let mut at = part.start;
            for &number in inside {
                let function = &self.code.functions[number];
                (number, function.is_generator).hash(hasher);
                if is_lambda(function) {
                    continue;
                }
                let body = self.body(function);
                self.write(at..body.start, hasher);
                bodies[number].filter(|_| told(function)).hash(hasher);
                at = body.end.max(at);
            }
            self.write(at..part.end, hasher);
        })
    }

    /// Hashes a part of the text as if there were no comments and no blank lines.
    fn write(&self, part: Range<usize>, hasher: &mut impl Hasher) {
        let first = self.idle.partition_point(|idle| idle.end <= part.start);
        let last = self.idle.partition_point(|idle| idle.start < part.end);
        let idle = self.idle.get(first..last).unwrap_or_default();
        let starts = [part.start].into_iter().chain(idle.iter().map(|idle| idle.end));
        let ends = idle.iter().map(|idle| idle.start).chain([part.end]);
        let texts = starts.zip(ends).filter_map(|(start, end)| self.text.get(start..end));
        texts.for_each(|text| hasher.write(text.as_bytes()));
        // No text has this byte.
        hasher.write_u8(0xff);
    }
}

fn is_lambda(function: &Function<'_>) -> bool {
    function.name == "<lambda>"
}

/// Whether somebody looks at the body of a function that does not run it: at what a context manager gives back at its end, and
/// at functions that only return something.
fn is_read_from_outside(function: &Function<'_>) -> bool {
    function.body.len() <= 1 || function.name == "__exit__"
}

/// A comment with the spaces before it, and with the end of the line where nothing else stands there.
fn with_its_line(text: &str, comment: Range<usize>) -> Range<usize> {
    let Some(before) = text.get(..comment.start) else { return comment };
    let start = before.trim_end_matches([' ', '\t']).len();
    let is_alone = start == 0 || before[..start].ends_with('\n');
    let ends_line = text.get(comment.end..).is_some_and(|rest| rest.starts_with('\n'));
    start..comment.end + usize::from(is_alone && ends_line)
}
