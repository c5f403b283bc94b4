//! Assertions about leaks that read what the allocator holds, and not what is allocated.

use super::memory::{call_of, called, function_called, path};
use crate::code::walk::{CodeNode, walk, within_function};
use crate::code::{Comparison, Expr, ExprKind, Operator, Statement, StatementKind, Target};
use crate::rules::files::{FileScope, RawFinding};
use rustc_hash::FxHashMap;

/// What reads memory that torch holds without using it.
const HELD: &[&str] = &[
    "torch.cuda.memory_reserved",
    "torch.cuda.memory_cached",
    "torch.cuda.max_memory_reserved",
    "torch.cuda.mem_get_info",
    "torch.cuda.memory.memory_reserved",
    "torch.cuda.device_memory_used",
    "torch.accelerator.memory_reserved",
    "pynvml.nvmlDeviceGetMemoryInfo",
];

/// Figures of a function by name, in the order in which they are read: whether each was read of held memory.
type Figures<'a> = FxHashMap<(Option<usize>, &'a str), Vec<(u32, bool)>>;

/// Assertions that compare two figures of held memory, as if their difference were a leak.
pub(super) fn on_reserved(scope: &FileScope<'_>) -> Vec<RawFinding> {
    let figures = figures_of(scope);
    let mut found = Vec::new();
    walk(scope.code, &mut |part, around| {
        let (function, _) = within_function(around);
        let about_leaks = || {
            let named = function.and_then(|number| scope.code.functions.get(number));
            named.is_some_and(|function| function.name.to_ascii_lowercase().contains("leak"))
        };
        let checked = match part {
            CodeNode::Statement(Statement { kind: StatementKind::Assert { test, .. }, span }) => {
                Some((test, *span))
            }
            // `if after > before: raise AssertionError("leak")`
            CodeNode::Statement(Statement { kind: StatementKind::Branch { test, then, .. }, span: _ })
                if then.iter().any(|step| fails(scope, step)) =>
            {
                Some((test, test.span))
            }
            _ => None,
        };
        let reading = FigureReading { scope, figures: &figures, function };
        if let Some((test, span)) = checked {
            let text = scope.text(span).to_ascii_lowercase();
            if reading.is_leak_check(test, text.contains("leak") || about_leaks()) {
                found.push(RawFinding::at(scope.place(span)));
            }
        }
        if let CodeNode::Expr(expr) = part
            && reading.is_leak_check_of_unittest(expr, about_leaks())
        {
            found.push(RawFinding::at(scope.place(expr.span)));
        }
    });
    found
}

/// Looks at figures from inside one function.
struct FigureReading<'r, 'a> {
    scope: &'r FileScope<'a>,
    figures: &'r Figures<'a>,
    function: Option<usize>,
}

impl FigureReading<'_, '_> {
    /// Whether a test says that held memory has not grown.
    fn is_leak_check(&self, test: &Expr<'_>, about_leaks: bool) -> bool {
        match &test.kind {
            ExprKind::Not(inner) => self.is_leak_check(inner, about_leaks),
            ExprKind::All(parts) | ExprKind::Any(parts) => {
                parts.iter().any(|part| self.is_leak_check(part, about_leaks))
            }
            ExprKind::Compare(comparison, sides) => {
                self.compares_growth(*comparison, &sides.0, &sides.1, about_leaks)
            }
            ExprKind::Call(_) => {
                let of = self.scope;
                matches!(called(of, test), "math.isclose" | "numpy.isclose")
                    && call_of(test).is_some_and(|call| match &call.arguments[..] {
                        [one, other, ..] => self.held(&one.value) && self.held(&other.value),
                        _ => false,
                    })
            }
            _ => false,
        }
    }

    fn is_leak_check_of_unittest(&self, expr: &Expr<'_>, about_leaks: bool) -> bool {
        let ExprKind::Call(call) = &expr.kind else { return false };
        let ExprKind::Attribute(object, name) = &call.callee.kind else { return false };
        let [one, other, ..] = &call.arguments[..] else { return false };
        let comparison = match *name {
            "assertEqual" | "assertAlmostEqual" => Comparison::Equal,
            "assertLess" => Comparison::Less,
            "assertLessEqual" => Comparison::LessOrEqual,
            "assertGreaterEqual" => Comparison::GreaterOrEqual,
            "assertGreater" => Comparison::Greater,
            _ => return false,
        };
        let text = self.scope.text(expr.span).to_ascii_lowercase();
        let leaks = about_leaks || text.contains("leak");
        matches!(object.kind, ExprKind::Name("self" | "cls"))
            && self.compares_growth(comparison, &one.value, &other.value, leaks)
    }

    /// `after <= before`, `after - before < limit`. That it shrinks is another check.
    fn compares_growth(
        &self,
        comparison: Comparison,
        left: &Expr<'_>,
        right: &Expr<'_>,
        about_leaks: bool,
    ) -> bool {
        use Comparison as C;
        if !matches!(
            comparison,
            C::Equal | C::NotEqual | C::Less | C::LessOrEqual | C::Greater | C::GreaterOrEqual
        ) {
            return false;
        }
        if self.is_growth(left, 0) || self.is_growth(right, 0) {
            return true;
        }
        if self.held(left) && self.held(right) {
            let plain = |side: &Expr<'_>| !matches!(side.kind, ExprKind::Binary(..));
            // Only an upper bound that leaves room, or equality, asks whether it has grown.
            let later_is_left = self.read_at(left) >= self.read_at(right);
            return about_leaks
                || match comparison {
                    C::Equal | C::NotEqual => true,
                    C::LessOrEqual => later_is_left,
                    C::GreaterOrEqual => !later_is_left,
                    C::Less => later_is_left && !(plain(left) && plain(right)),
                    C::Greater => later_is_left && plain(left) || !later_is_left && !plain(left),
                    _ => false,
                };
        }
        about_leaks && (self.held(left) || self.held(right))
    }

    /// `after - before`, also behind `abs()` and a name.
    fn is_growth(&self, expr: &Expr<'_>, hops: usize) -> bool {
        const MOST: usize = 3;
        match &expr.kind {
            ExprKind::Binary(Operator::Subtract, sides) => self.held(&sides.0) && self.held(&sides.1),
            ExprKind::Binary(_, sides) => self.is_growth(&sides.0, hops) || self.is_growth(&sides.1, hops),
            ExprKind::Call(call)
                if matches!(path(self.scope, &call.callee), "builtins.abs" | "builtins.max") =>
            {
                call.arguments.iter().any(|argument| self.is_growth(&argument.value, hops))
            }
            ExprKind::Name(_) if hops < MOST => {
                let meant = self.scope.names.meant(expr);
                meant.span != expr.span && self.is_growth(meant, hops + 1)
            }
            _ => false,
        }
    }

    /// Whether an expression is a figure of held memory.
    fn held(&self, expr: &Expr<'_>) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => self.figures.get(&(self.function, *name)).is_some_and(|read| {
                let before = read.iter().rev().find(|(at, _)| *at < expr.span.start);
                before.is_some_and(|(_, held)| *held)
            }),
            _ => reads_held(self.scope, expr, 0) || self.any_held(expr),
        }
    }

    /// A figure with something added, or in other units.
    fn any_held(&self, expr: &Expr<'_>) -> bool {
        match &expr.kind {
            ExprKind::Binary(_, sides) => self.held(&sides.0) || self.held(&sides.1),
            _ => false,
        }
    }

    /// Where the figure was read.
    fn read_at(&self, expr: &Expr<'_>) -> u32 {
        match &expr.kind {
            ExprKind::Name(name) => {
                let read = self.figures.get(&(self.function, *name));
                read.and_then(|read| read.first()).map_or(0, |(at, _)| *at)
            }
            ExprKind::Binary(_, sides) => [&sides.0, &sides.1]
                .into_iter()
                .filter(|side| self.held(side))
                .map(|side| self.read_at(side))
                .max()
                .unwrap_or(0),
            _ => expr.span.start,
        }
    }
}

fn figures_of<'a>(scope: &FileScope<'a>) -> Figures<'a> {
    let mut figures = Figures::default();
    walk(scope.code, &mut |part, around| {
        let (function, _) = within_function(around);
        if let CodeNode::Statement(Statement {
            kind: StatementKind::Assign { targets, value: Some(value), .. },
            span,
        }) = part
        {
            let held = reads_held(scope, value, 0);
            for target in targets {
                let names: Vec<&'a str> = match target {
                    Target::Name(name, _) => vec![name],
                    Target::Sequence(parts) => parts
                        .iter()
                        .filter_map(|part| match part {
                            Target::Name(name, _) => Some(*name),
                            _ => None,
                        })
                        .collect(),
                    _ => Vec::new(),
                };
                for name in names {
                    figures.entry((function, name)).or_default().push((span.start, held));
                }
            }
        }
    });
    figures
}

/// Whether an expression reads held memory: by itself, or by a function of this file.
fn reads_held(scope: &FileScope<'_>, expr: &Expr<'_>, depth: usize) -> bool {
    const DEEPEST: usize = 6;
    if depth > DEEPEST {
        return false;
    }
    let deeper = |expr: &Expr<'_>| reads_held(scope, expr, depth + 1);
    match &expr.kind {
        ExprKind::Call(call) => {
            let path = path(scope, &call.callee);
            let by_number = matches!(path, "builtins.int" | "builtins.float" | "builtins.round")
                && call.arguments.first().is_some_and(|first| deeper(&first.value));
            let by_helper = || {
                function_called(scope, expr).is_some_and(|helper| {
                    let given = super::gpu_values::given_by(scope, helper);
                    let text = scope.text(helper.span);
                    given.iter().any(|given| deeper(given))
                        || text.contains("nvidia-smi") && text.contains("memory.used")
                })
            };
            HELD.contains(&path) || by_number || asks_nvidia_smi(scope, expr) || by_helper()
        }
        ExprKind::Attribute(inner, "used" | "free") => deeper(inner),
        ExprKind::Item(item) => deeper(&item.0),
        ExprKind::Binary(Operator::Subtract, sides) => deeper(&sides.0) != deeper(&sides.1),
        ExprKind::Binary(_, sides) => deeper(&sides.0) || deeper(&sides.1),
        ExprKind::Await(inner) => deeper(inner),
        ExprKind::Name(_) => {
            let meant = scope.names.meant(expr);
            meant.span != expr.span && deeper(meant)
        }
        _ => false,
    }
}

/// `subprocess.check_output(["nvidia-smi", "--query-gpu=memory.used", …])`
fn asks_nvidia_smi(scope: &FileScope<'_>, expr: &Expr<'_>) -> bool {
    let path = called(scope, expr);
    let text = scope.text(expr.span);
    (path.starts_with("subprocess.") || path.starts_with("os.popen"))
        && text.contains("nvidia-smi")
        && text.contains("memory.used")
}

/// `raise AssertionError(…)`, `pytest.fail(…)`, `self.fail(…)`
fn fails(scope: &FileScope<'_>, step: &Statement<'_>) -> bool {
    match &step.kind {
        StatementKind::Raise { exception: Some(_), .. } => true,
        StatementKind::Evaluate(value) => {
            called(scope, value) == "pytest.fail" || scope.text(value.span).starts_with("self.fail(")
        }
        _ => false,
    }
}
