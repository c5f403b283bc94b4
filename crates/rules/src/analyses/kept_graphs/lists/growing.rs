//! Lists that grow with each turn of a loop: begun before it, emptied nowhere in it, and made of tensors.

use crate::code::walk::{CodeNode, walk, within_function};
use crate::code::{Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::analyses::memory::{method_of, path};
use crate::rules::files::FileScope;

/// What a file does with its lists.
pub(in super::super) struct Lists<'s> {
    /// Each with the function that it stands in, the name, and whether the value is an empty list, or holds such lists.
    begun: Vec<(Option<usize>, &'s str, Span, bool)>,
    /// `losses.clear()`, `losses.pop(0)`, `del losses[:]`
    emptied: Vec<(Option<usize>, &'s str, Span)>,
    /// What goes over into what: the targets of an assignment, or of a loop, and the text of its value.
    flows: Vec<(Option<usize>, Vec<&'s str>, &'s str)>,
    /// What is differentiated: the text of the whole call.
    differentiated: Vec<(Option<usize>, &'s str)>,
    /// Handed to numpy or drawn, which a tensor with a graph refuses.
    numbers: Vec<(Option<usize>, &'s str)>,
    loops: Vec<Span>,
    /// Loops that count, and those of a few turns.
    counting: Vec<Span>,
    short: Vec<Span>,
    constructors: Vec<usize>,
    for_tests: bool,
}

impl<'s> Lists<'s> {
    pub(in super::super) fn of(scope: &FileScope<'s>) -> Lists<'s> {
        let functions = scope.code.functions.iter().enumerate();
        let mut lists = Lists {
            begun: Vec::new(),
            emptied: Vec::new(),
            flows: Vec::new(),
            differentiated: Vec::new(),
            numbers: Vec::new(),
            loops: Vec::new(),
            counting: Vec::new(),
            short: Vec::new(),
            constructors: functions.filter(|(_, one)| one.name == "__init__").map(|(at, _)| at).collect(),
            for_tests: scope
                .program
                .name_of(scope.file)
                .rsplit('/')
                .next()
                .is_some_and(|name| name.starts_with("test_")),
        };
        walk(scope.code, &mut |part, around| {
            let function = within_function(around).0;
            match part {
                CodeNode::Statement(step) => lists.add_step(scope, step, function),
                CodeNode::Expr(expr) => lists.add_call(scope, expr, function),
                CodeNode::Target(_) => {}
            }
        });
        lists
    }

    fn add_step(&mut self, scope: &FileScope<'s>, step: &Statement<'s>, function: Option<usize>) {
        match &step.kind {
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let names: Vec<&str> = targets.iter().flat_map(|target| names_of(scope, target)).collect();
                // `losses, outputs = [], []`
                let is_list = match (&targets[..], &value.kind) {
                    ([Target::Sequence(_)], ExprKind::Sequence(values)) => {
                        values.len() == names.len() && values.iter().all(|value| holds_lists(scope, value))
                    }
                    _ => holds_lists(scope, value),
                };
                self.begun.extend(names.iter().map(|name| (function, *name, step.span, is_list)));
                self.flows.push((function, names, scope.text(value.span)));
            }
            StatementKind::Update { target, value, .. } => {
                self.flows.push((function, names_of(scope, target), scope.text(value.span)));
            }
            StatementKind::For { target, iterable, .. } => {
                self.flows.push((function, names_of(scope, target), scope.text(iterable.span)));
                self.loops.push(step.span);
                if is_range(iterable) {
                    self.counting.push(step.span);
                }
                if is_short(iterable) {
                    self.short.push(step.span);
                }
            }
            StatementKind::While { .. } => self.loops.push(step.span),
            StatementKind::Delete(targets) => {
                let names = targets.iter().flat_map(|target| names_of(scope, target));
                self.emptied.extend(names.map(|name| (function, name, step.span)));
            }
            _ => {}
        }
    }

    fn add_call(&mut self, scope: &FileScope<'s>, expr: &Expr<'s>, function: Option<usize>) {
        let ExprKind::Call(call) = &expr.kind else { return };
        let callee = path(scope, &call.callee);
        let text = scope.text(expr.span);
        let method = method_of(expr);
        let differentiates = matches!(method, Some((_, "backward" | "manual_backward", _)));
        if differentiates || callee.ends_with("autograd.grad") {
            self.differentiated.push((function, text));
        }
        if let Some((object, "clear" | "pop" | "popleft", _)) = method {
            self.emptied.push((function, base_of(scope.text(object.span)), expr.span));
        }
        let outside = ["numpy.", "matplotlib.", "pandas.", "seaborn."];
        let written = scope.text(call.callee.span);
        let takes_numbers = outside.iter().any(|start| callee.starts_with(start))
            || ["np.", "plt.", "pd."].iter().any(|start| written.starts_with(start))
            || matches!(method, Some((_, "plot", _)));
        if takes_numbers {
            let given = call.arguments.iter().map(|argument| base_of(scope.text(argument.value.span)));
            self.numbers.extend(given.map(|name| (function, name)));
        }
    }

    /// Whether a list grows in a loop, turn by turn.
    pub(in super::super) fn grows(&self, list: &str, function: Option<usize>, inside: Span) -> bool {
        let base = base_of(list);
        let of_object = base.starts_with("self.");
        let is_here = |at: Option<usize>| at == function || of_object;
        let holds = |outer: Span, span: Span| outer.start <= span.start && span.end <= outer.end;
        let within = |span: Span| holds(inside, span);
        // Begun in each turn of a loop further out, for the parts of one step: `for _ in range(accumulated):`.
        let of_parts = |span: Span| {
            let mut outer = self.loops.iter().filter(|outer| **outer != inside);
            self.counting.contains(&inside) && outer.any(|outer| holds(*outer, inside) && holds(*outer, span))
        };
        // The method that empties a list of an object may be called in each turn.
        let in_turn = |at: Option<usize>, span: Span| {
            within(span) || (at != function && !at.is_some_and(|at| self.constructors.contains(&at)))
        };
        let mut begun = self.begun.iter().filter(|(at, name, ..)| *name == base && is_here(*at));
        let begins = begun.clone().any(|(.., is_list)| *is_list);
        let emptied = self.emptied.iter().filter(|(at, name, _)| *name == base && is_here(*at));
        begins
            && !self.for_tests
            && !self.short.contains(&inside)
            && !begun.any(|(at, _, span, _)| in_turn(*at, *span) || of_parts(*span))
            && !emptied.clone().any(|(at, _, span)| in_turn(*at, *span))
            && !self.numbers.iter().any(|(at, name)| *name == base && is_here(*at))
    }

    /// Whether what a list holds comes into something that is differentiated, but for `except.backward()`.
    pub(in super::super) fn is_differentiated(
        &self,
        list: &str,
        function: Option<usize>,
        except: &str,
    ) -> bool {
        let base = base_of(list);
        let is_here = |at: &Option<usize>| *at == function || base.starts_with("self.");
        let counts = |text: &str| except.is_empty() || !text.starts_with(except);
        let here = self.differentiated.iter().filter(|(at, text)| is_here(at) && counts(text));
        let mut texts: Vec<&str> = here.map(|(_, text)| *text).collect();
        let mut next = 0;
        while let Some(&text) = texts.get(next) {
            if words(text, base).next().is_some() {
                return true;
            }
            for (at, targets, value) in &self.flows {
                let leads = is_here(at) && targets.iter().any(|target| words(text, target).next().is_some());
                if leads && !texts.contains(value) {
                    texts.push(value);
                }
            }
            next += 1;
        }
        false
    }
}

/// Where a text has a name as a word of its own.
pub(super) fn words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).map(|(at, _)| at).filter(move |&at| {
        !text[..at].ends_with(|c| is_part(c) || c == '.') && !text[at + name.len()..].starts_with(is_part)
    })
}

/// `history` of `history["loss"]`
fn base_of(list: &str) -> &str {
    list.split('[').next().unwrap_or(list).trim_end()
}

/// The names that a target binds: of an item, the name of what holds it.
fn names_of<'s>(scope: &FileScope<'s>, target: &Target<'s>) -> Vec<&'s str> {
    match target {
        Target::Name(name, _) => vec![name],
        Target::Attribute(object, name) => {
            // The text from the object to the end of the attribute.
            let start = object.span.start;
            let rest = scope.text(Span { start, end: object.span.end });
            let whole = scope.whole_text();
            let end = object.span.end as usize + 1 + name.len();
            vec![whole.get(start as usize..end).unwrap_or(rest)]
        }
        Target::Item(pair) => vec![base_of(scope.text(pair.0.span))],
        Target::Sequence(parts) => parts.iter().flat_map(|part| names_of(scope, part)).collect(),
        Target::Rest(inner) => names_of(scope, inner),
    }
}

/// `[]`, `list()`, `{"loss": []}`, `defaultdict(list)`
fn holds_lists(scope: &FileScope<'_>, value: &Expr<'_>) -> bool {
    match &value.kind {
        ExprKind::Sequence(parts) => parts.is_empty() && scope.text(value.span).starts_with('['),
        ExprKind::Mapping(entries) => entries.iter().all(|(_, value)| holds_lists(scope, value)),
        ExprKind::Call(call) => match path(scope, &call.callee) {
            // A deque with a length lets the old ones go.
            "list" | "builtins.list" | "collections.deque" => call.arguments.is_empty(),
            "collections.defaultdict" => {
                call.arguments.first().is_some_and(|first| scope.text(first.value.span) == "list")
            }
            _ => scope.text(value.span) == "list()",
        },
        _ => false,
    }
}

/// `for x in (a, b)`, `for _ in range(3)`
fn is_short(iterable: &Expr<'_>) -> bool {
    const FEW: i64 = 16;
    match &iterable.kind {
        ExprKind::Sequence(_) => true,
        ExprKind::Call(call) if is_range(iterable) => {
            call.arguments.last().is_some_and(|last| matches!(last.value.kind, ExprKind::Int(n) if n <= FEW))
        }
        _ => false,
    }
}

fn is_range(iterable: &Expr<'_>) -> bool {
    matches!(&iterable.kind, ExprKind::Call(call) if matches!(call.callee.kind, ExprKind::Name("range")))
}
