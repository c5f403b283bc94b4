//! On which cards a condition of code holds: `major == 8 and minor == 9`, `capability >= (8, 0)`, `80 <= cc < 89`.

use crate::architectures::{self, Capability};
use crate::code::{Comparison, Expr, ExprKind, Operator};
use crate::rules::files::FileScope;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// What a side of a comparison is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    /// All of the capability, in whatever form the other side has.
    Whole,
    Major,
    Minor,
    /// `10 * major + minor`
    Number,
    /// A number that is written down.
    Literal(i64),
    /// `(8, 9)`, `8.9`, `"8.9"`, `"sm_89"`
    Capability(Capability),
}

/// Reads conditions of one file.
pub(super) struct Conditions<'c> {
    pub scope: &'c FileScope<'c>,
    /// All cards, ascending.
    cards: Vec<Capability>,
    /// By the place of each condition in memory: branches below it ask again and again.
    known: RefCell<FxHashMap<*const Expr<'c>, Answers>>,
}

/// What a condition says of each card, one bit for each of them; there are fewer than 64.
#[derive(Clone, Copy, Default)]
struct Answers {
    /// Capabilities decide it.
    decided: u64,
    /// It holds.
    met: u64,
}

impl Answers {
    fn not(self) -> Answers {
        Answers { met: self.decided & !self.met, ..self }
    }

    fn all(parts: impl Iterator<Item = Answers>) -> Answers {
        let (some_fails, all_met) =
            parts.fold((0, u64::MAX), |(fails, met), one| (fails | one.not().met, met & one.met));
        Answers { decided: some_fails | all_met, met: all_met & !some_fails }
    }

    fn any(parts: impl Iterator<Item = Answers>) -> Answers {
        Answers::all(parts.map(Answers::not)).not()
    }
}

/// Names are followed so far.
const MAX_DEPTH: usize = 6;

impl<'c> Conditions<'c> {
    pub fn new(scope: &'c FileScope<'c>) -> Conditions<'c> {
        Conditions { scope, cards: architectures::capabilities(), known: RefCell::default() }
    }

    /// Whether a condition holds on a card; `None` when that depends on other things.
    pub fn holds(&self, test: &Expr<'c>, on: Capability) -> Option<bool> {
        let answers = self.answers(test);
        let card = 1 << self.cards.binary_search(&on).ok()?;
        (answers.decided & card != 0).then_some(answers.met & card != 0)
    }

    /// Whether a condition is about the capability of a card.
    pub fn speaks(&self, test: &Expr<'c>) -> bool {
        self.answers(test).decided != 0
    }

    fn answers(&self, test: &Expr<'c>) -> Answers {
        if let Some(known) = self.known.borrow().get(&std::ptr::from_ref(test)) {
            return *known;
        }
        let all = (1 << self.cards.len()) - 1;
        let answers = self.answers_at(test, 0);
        let answers = Answers { decided: answers.decided & all, met: answers.met & all };
        self.known.borrow_mut().insert(test, answers);
        answers
    }

    /// Whether what else a condition asks is about a feature: then it may be right whatever the capability is.
    pub fn asks_more(&self, test: &Expr<'c>) -> bool {
        let text = self.scope.text(test.span).to_lowercase();
        ["support", "bf16", "bfloat16", "fp8", "tf32", "hip", "rocm", "emulat", "is_available_"]
            .iter()
            .any(|word| text.contains(word))
    }

    fn answers_at(&self, test: &Expr<'c>, depth: usize) -> Answers {
        if depth > MAX_DEPTH {
            return Answers::default();
        }
        let next = |test: &Expr<'c>| self.answers_at(test, depth + 1);
        match &test.kind {
            ExprKind::Not(inner) => next(inner).not(),
            ExprKind::All(parts) => Answers::all(parts.iter().map(next)),
            ExprKind::Any(parts) => Answers::any(parts.iter().map(next)),
            ExprKind::Compare(comparison, sides) => {
                self.of_each(|on| self.compares(*comparison, &sides.0, &sides.1, on))
            }
            ExprKind::Unknown(parts) if parts.len() > 2 => self.of_each(|on| self.chain(parts, on)),
            ExprKind::Bind(_, value) => next(value),
            ExprKind::Call(call) => match (&call.callee.kind, &call.arguments[..]) {
                (ExprKind::Name("bool"), [only]) => next(&only.value),
                _ => Answers::default(),
            },
            ExprKind::Name(_) => {
                let meant = self.scope.names.meant(test);
                let followed = !std::ptr::eq(meant, test)
                    && matches!(
                        meant.kind,
                        ExprKind::Compare(..) | ExprKind::All(_) | ExprKind::Any(_) | ExprKind::Not(_)
                    );
                if followed { next(meant) } else { Answers::default() }
            }
            _ => Answers::default(),
        }
    }

    /// Asks for each card. What cannot be told of one cannot be told of any: that depends on how it is written.
    fn of_each(&self, holds: impl Fn(Capability) -> Option<bool>) -> Answers {
        let mut answers = Answers::default();
        for (index, card) in self.cards.iter().enumerate() {
            let Some(met) = holds(*card) else { return Answers::default() };
            answers.decided |= 1 << index;
            answers.met |= u64::from(met) << index;
        }
        answers
    }

    /// `80 <= cc < 89`
    fn chain(&self, parts: &[Expr<'c>], on: Capability) -> Option<bool> {
        let mut all = true;
        for pair in parts.windows(2) {
            let (end, start) = (pair[0].span.end, pair[1].span.start);
            if end > start {
                return None;
            }
            let between =
                self.scope.text(crate::facts::Span { start: end, end: start }).trim_matches([' ', '(', ')']);
            let comparison = match between {
                "<" => Comparison::Less,
                "<=" => Comparison::LessOrEqual,
                ">" => Comparison::Greater,
                ">=" => Comparison::GreaterOrEqual,
                "==" => Comparison::Equal,
                _ => return None,
            };
            all &= self.compares(comparison, &pair[0], &pair[1], on)?;
        }
        Some(all)
    }

    fn compares(
        &self,
        comparison: Comparison,
        left: &Expr<'c>,
        right: &Expr<'c>,
        on: Capability,
    ) -> Option<bool> {
        if matches!(comparison, Comparison::In | Comparison::NotIn) {
            let ExprKind::Sequence(choices) = &self.scope.names.meant(right).kind else { return None };
            let mut found = false;
            for choice in choices {
                found |= self.compares(Comparison::Equal, left, choice, on)?;
            }
            return Some(found == (comparison == Comparison::In));
        }
        let (subject, literal, turned) = match (self.side(left, 0)?, self.side(right, 0)?) {
            (Side::Literal(_) | Side::Capability(_), Side::Literal(_) | Side::Capability(_)) => return None,
            (literal @ (Side::Literal(_) | Side::Capability(_)), subject) => (subject, literal, true),
            (subject, literal @ (Side::Literal(_) | Side::Capability(_))) => (subject, literal, false),
            _ => return None,
        };
        let (is, with): (i64, i64) = match (subject, literal) {
            (Side::Major, Side::Literal(number)) => (i64::from(on.major), number),
            (Side::Minor, Side::Literal(number)) => (i64::from(on.minor), number),
            (Side::Number, Side::Literal(number)) => (as_number(on), number),
            // `cc >= 89`, and `cc >= 8` of a number with a fraction.
            (Side::Whole, Side::Literal(number)) if number >= 20 => (as_number(on), number),
            (Side::Whole, Side::Literal(number)) => (as_number(on), number * 10),
            (Side::Whole, Side::Capability(one)) => (as_number(on), as_number(one)),
            _ => return None,
        };
        let ordering = if turned { with.cmp(&is) } else { is.cmp(&with) };
        match comparison {
            Comparison::Equal => Some(ordering.is_eq()),
            Comparison::NotEqual => Some(ordering.is_ne()),
            Comparison::Less => Some(ordering.is_lt()),
            Comparison::LessOrEqual => Some(ordering.is_le()),
            Comparison::Greater => Some(ordering.is_gt()),
            Comparison::GreaterOrEqual => Some(ordering.is_ge()),
            _ => None,
        }
    }

    fn side(&self, expr: &Expr<'c>, depth: usize) -> Option<Side> {
        if let Some(one) = capability_of(self.scope, expr) {
            return Some(Side::Capability(one));
        }
        match &expr.kind {
            ExprKind::Int(number) => Some(Side::Literal(*number)),
            ExprKind::Name(name) => by_name(name).or_else(|| {
                let meant = self.scope.names.meant(expr);
                (!std::ptr::eq(meant, expr) && depth < MAX_DEPTH)
                    .then(|| self.side(meant, depth + 1))
                    .flatten()
            }),
            ExprKind::Attribute(_, name) => by_name(name),
            // `(major, minor) == (9, 0)`
            ExprKind::Sequence(parts) => match &parts[..] {
                [major, minor] if depth < MAX_DEPTH => {
                    let sides = (self.side(major, depth + 1)?, self.side(minor, depth + 1)?);
                    (sides == (Side::Major, Side::Minor)).then_some(Side::Whole)
                }
                _ => None,
            },
            ExprKind::Item(pair) => match (self.side(&pair.0, depth + 1), &pair.1.kind) {
                (Some(Side::Whole), ExprKind::Int(0)) => Some(Side::Major),
                (Some(Side::Whole), ExprKind::Int(1)) => Some(Side::Minor),
                (_, ExprKind::Text(key)) => by_name(key),
                _ => None,
            },
            ExprKind::Call(call) => match &call.callee.kind {
                ExprKind::Attribute(_, name) | ExprKind::Name(name)
                    if !matches!(*name, "int" | "float" | "len" | "get") =>
                {
                    by_name(name.trim_start_matches("get_")).filter(|side| *side == Side::Whole)
                }
                ExprKind::Name("int" | "float") => match call.arguments.first().map(|one| &one.value) {
                    Some(inner) if depth < MAX_DEPTH => self.side(inner, depth + 1),
                    _ => None,
                },
                _ => None,
            },
            ExprKind::Binary(Operator::Add, sides) => {
                let tens = match &sides.0.kind {
                    ExprKind::Binary(Operator::Multiply, product) => {
                        let parts = [self.side(&product.0, depth + 1), self.side(&product.1, depth + 1)];
                        parts.contains(&Some(Side::Major)) && parts.contains(&Some(Side::Literal(10)))
                    }
                    _ => false,
                };
                (tens && self.side(&sides.1, depth + 1) == Some(Side::Minor)).then_some(Side::Number)
            }
            _ => None,
        }
    }
}

fn as_number(one: Capability) -> i64 {
    i64::from(one.major) * 10 + i64::from(one.minor)
}

/// A capability that is written down: `(8, 9)`, `8.9`, `"8.9"`, `"sm_89"`.
pub(super) fn capability_of(scope: &FileScope<'_>, expr: &Expr<'_>) -> Option<Capability> {
    match &expr.kind {
        ExprKind::Sequence(parts) => match &parts[..] {
            [Expr { kind: ExprKind::Int(major), .. }, Expr { kind: ExprKind::Int(minor), .. }] => {
                let in_range = (1..20).contains(major) && (0..10).contains(minor);
                in_range.then_some(Capability { major: *major as u8, minor: *minor as u8 })
            }
            [Expr { kind: ExprKind::Int(major), .. }] if (1..20).contains(major) => {
                Some(Capability { major: *major as u8, minor: 0 })
            }
            _ => None,
        },
        // A number with a fraction.
        ExprKind::Outside(of) if of == "builtins.float()" => Capability::parse(scope.text(expr.span)),
        ExprKind::Text(text) => capability_in(text),
        _ => None,
    }
}

/// `8.9`, `sm_89`, `compute_89`
pub(super) fn capability_in(text: &str) -> Option<Capability> {
    let lower = text.to_ascii_lowercase();
    let number = ["sm_", "sm", "compute_", "cc"].iter().find_map(|mark| lower.strip_prefix(mark));
    match number {
        Some(number) => {
            let number = number.trim_start_matches([' ', '_']).trim_end_matches(['a', 'f']);
            Capability::parse(number).or_else(|| Capability::of_number(number.parse().ok()?))
        }
        None => Capability::parse(&lower),
    }
}

/// What a variable holds by its name.
fn by_name(name: &str) -> Option<Side> {
    let has = |wanted: &[&str]| {
        name.split('_').any(|word| wanted.iter().any(|wanted| word.eq_ignore_ascii_case(wanted)))
    };
    if has(&["count", "num", "counts", "sms", "n", "len", "list", "flags", "names"]) {
        return None;
    }
    // `hbm_cap_gb` and `power_cap` are capacities and limits.
    if has(&[
        "bytes", "gb", "gib", "hbm", "limit", "mb", "mem", "memory", "mib", "power", "ram", "vram", "watts",
    ]) {
        return None;
    }
    match () {
        () if has(&["major", "maj"]) => Some(Side::Major),
        () if has(&["minor"]) => Some(Side::Minor),
        () if has(&["cc", "cap", "capability", "sm", "computecapability", "capabilities", "smversion"]) => {
            Some(Side::Whole)
        }
        () if has(&["arch"]) && has(&["cuda", "gpu", "sm", "device", "arch"]) => Some(Side::Whole),
        () => None,
    }
}

/// Whether a name says that what it holds is a capability.
pub(super) fn names_capability(name: &str) -> bool {
    by_name(name) == Some(Side::Whole)
}
