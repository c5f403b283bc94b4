//! Calls that all processes of a group must make, where one of them comes alone.

use super::first_ranks::{asks_for_rank, who_passes};
use super::lone_forwards;
use super::memory::path_of_decorator;
use super::waiting_calls::Waiters;
use crate::code::walk::{CodeNode, blocks, walk_block};
use crate::code::{Block, Expr, ExprKind, Statement, StatementKind};
use crate::facts::Span;
use crate::rules::files::{FileScope, RawFinding};

/// A call that waits for all.
struct Waiting<'s> {
    span: Span,
    name: &'s str,
    /// The test that lets one process through, or the decorator.
    by: Span,
}

/// What waits in a file.
#[derive(Default)]
struct Waits<'s> {
    alone: Vec<Waiting<'s>>,
    /// The names of what waits where it is asked for a process in another way, or the other processes come.
    elsewhere: Vec<&'s str>,
}

/// `if rank == 0: dist.barrier()`
pub(super) fn of_one_process(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let waiters = Waiters::of(scope);
    let mut waits = Waits::default();
    for block in blocks(scope.code) {
        for (at, step) in block.iter().enumerate() {
            waits.look_at(scope, &waiters, step, &block[at + 1..]);
        }
    }
    let mut seen: Vec<Span> = Vec::new();
    let mut found = Vec::new();
    for Waiting { span, name, by } in waits.alone {
        if waits.elsewhere.contains(&name) || seen.contains(&span) {
            continue;
        }
        seen.push(span);
        let raw_finding = RawFinding::at(scope.place(span)).word("name", name);
        found.push(raw_finding.beside(scope.place(by), "the other processes do not come behind this"));
    }
    for one in lone_forwards::of_one_process(scope) {
        let raw_finding = RawFinding::at(scope.place(one.span)).word("name", one.name);
        found.push(raw_finding.beside(scope.place(one.by), "the other processes do not come behind this"));
    }
    found
}

impl<'a> Waits<'a> {
    /// Looks at a step and at those behind it in its block.
    fn look_at(
        &mut self,
        scope: &FileScope<'a>,
        waiters: &Waiters<'a>,
        step: &Statement<'a>,
        behind: &[Statement<'a>],
    ) {
        let alone = |block: &[Statement<'a>], by: Span| {
            let waits = waiters.waits_in(scope, block).into_iter();
            waits.map(move |(span, name)| Waiting { span, name, by }).collect::<Vec<_>>()
        };
        let names = |block: &[Statement<'a>]| waiters.waits_in(scope, block).into_iter().map(|one| one.1);
        match &step.kind {
            StatementKind::Branch { test, then, otherwise } => {
                let (first, others) = match who_passes(scope, test) {
                    Some(true) => (then, otherwise),
                    Some(false) => (otherwise, then),
                    None if asks_for_rank(scope, test) => {
                        self.elsewhere.extend(names(then));
                        self.elsewhere.extend(names(otherwise));
                        return;
                    }
                    None => return,
                };
                // `if rank != 0: return`, and what the first process does then.
                if leaves(others) && first.is_empty() && !does_something(scope, others) {
                    self.alone.extend(alone(behind, test.span));
                    return;
                }
                // `if rank == 0: …; return`, and what the others do then.
                let rest: &[Statement<'a>] = if leaves(first) { behind } else { &[] };
                // What the other processes do meanwhile may be the other half of it.
                if does_something(scope, others) || does_something(scope, rest) {
                    self.elsewhere.extend(names(first));
                    self.elsewhere.extend(names(others));
                } else {
                    self.alone.extend(alone(first, test.span));
                }
            }
            StatementKind::Define { function, decorators } => {
                let is_for_first = |one: &&Expr<'_>| {
                    path_of_decorator(scope, one).is_some_and(|path| path.ends_with("rank_zero_only"))
                };
                if let Some(decorator) = decorators.iter().find(is_for_first) {
                    self.alone.extend(alone(&scope.code.functions[*function].body, decorator.span));
                }
            }
            _ => {}
        }
    }
}

/// Whether a block ends by leaving what stands around it.
fn leaves(block: &Block<'_>) -> bool {
    let last = block.last().map(|step| &step.kind);
    matches!(last, Some(StatementKind::Return(_) | StatementKind::Continue))
}

/// Whether a block calls something: the other half of what waits may be there.
pub(super) fn does_something(scope: &FileScope<'_>, block: &[Statement<'_>]) -> bool {
    let mut calls = false;
    walk_block(scope.code, block, &mut |part, _| {
        calls |= matches!(part, CodeNode::Expr(Expr { kind: ExprKind::Call(_), .. }));
    });
    calls
}
