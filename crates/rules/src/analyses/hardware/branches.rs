//! Branches on the compute capability: which architecture they name, and which feature they turn on, for which cards.

use super::conditions::Conditions;
use super::labels::{self, Label};
use super::{Found, Topic};
use crate::architectures::{self, Capability, Feature, architecture_of};
use crate::code::{Block, Comparison, Expr, ExprKind, Statement, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::FileScope;

/// What a look at the branches of a file gives.
pub(super) struct Branches {
    pub found: Vec<Found>,
    /// The conditions about capabilities, with the cards that reach what is behind each.
    pub tests: Vec<Test>,
}

/// A condition about capabilities.
pub(super) struct Test {
    pub span: Span,
    pub cards: Vec<Capability>,
    /// The lowest capability that it asks for, where it asks for one.
    pub from: Option<Capability>,
}

struct BranchScan<'c> {
    conditions: Conditions<'c>,
    /// What holds here: a condition, and whether it was met. The innermost comes last.
    given: Vec<(&'c Expr<'c>, bool)>,
    /// The functions around.
    functions: Vec<&'c str>,
    found: Vec<Found>,
    tests: Vec<Test>,
    cards: Vec<Capability>,
}

/// Looks at all branches of a file.
pub(super) fn faults(scope: &FileScope<'_>) -> Branches {
    let mut look = BranchScan {
        conditions: Conditions::new(scope),
        given: Vec::new(),
        functions: Vec::new(),
        found: Vec::new(),
        tests: Vec::new(),
        cards: architectures::capabilities(),
    };
    look.block(&scope.code.body);
    scope.code.snippets.iter().for_each(|snippet| look.block(&snippet.body));
    Branches { found: look.found, tests: look.tests }
}

impl<'c> BranchScan<'c> {
    fn block(&mut self, block: &'c Block<'c>) {
        let depth = self.given.len();
        for step in block {
            stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.step(step));
            // Behind a branch that leaves, the other holds.
            if let StatementKind::Branch { test, then, otherwise } = &step.kind {
                if leaves(then) {
                    self.given.push((test, false));
                } else if leaves(otherwise) {
                    self.given.push((test, true));
                }
            }
        }
        self.given.truncate(depth);
    }

    fn under(&mut self, test: &'c Expr<'c>, met: bool, look: impl FnOnce(&mut Self)) {
        self.given.push((test, met));
        look(self);
        self.given.pop();
    }

    fn step(&mut self, step: &'c Statement<'c>) {
        let code = self.conditions.scope.code;
        match &step.kind {
            StatementKind::Branch { test, then, otherwise } => {
                self.note(test);
                self.under(test, true, |look| look.block(then));
                self.under(test, false, |look| look.block(otherwise));
            }
            StatementKind::Define { function, .. } => {
                let Some(function) = code.functions.get(*function) else { return };
                let given = std::mem::take(&mut self.given);
                self.functions.push(function.name);
                self.block(&function.body);
                self.functions.pop();
                self.given = given;
            }
            StatementKind::DefineClass { class, .. } => {
                if let Some(class) = code.classes.get(*class) {
                    self.block(&class.body);
                }
            }
            StatementKind::Assign { targets, value: Some(value), .. } => {
                let name = targets.iter().find_map(name_of);
                self.named_condition(name, value);
                self.value(value, name);
            }
            StatementKind::Return(Some(value)) => {
                self.named_condition(self.functions.last().copied(), value);
                self.value(value, None);
            }
            StatementKind::Evaluate(value) => {
                if !self.report(value) {
                    self.value(value, None);
                }
            }
            StatementKind::Match { subject, arms } => self.arms(subject, arms),
            other => {
                for block in other.blocks() {
                    self.block(block);
                }
            }
        }
    }

    /// `match cc:` with a literal in each arm.
    fn arms(&mut self, subject: &'c Expr<'c>, arms: &'c [crate::code::Arm<'c>]) {
        let by_capability = self.conditions.scope.text(subject.span).to_lowercase();
        let speaks = ["cc", "cap", "sm", "arch", "major"].iter().any(|word| by_capability.contains(word));
        for arm in arms {
            let numbers: Vec<Option<Capability>> = arm
                .literals
                .iter()
                .map(|one| match &one.kind {
                    ExprKind::Int(number) => Capability::of_number(*number),
                    _ => super::conditions::capability_of(self.conditions.scope, one),
                })
                .collect();
            if let (true, Some(numbers)) = (speaks, numbers.into_iter().collect::<Option<Vec<_>>>())
                && let (Some(head), Some(label)) =
                    (arm.literals.first(), arm.body.iter().find_map(label_of_step))
                && !numbers.is_empty()
                && numbers.iter().all(|one| one.is_known() && !is(*one, &label))
            {
                self.say(numbers[0], &label, head.span);
            }
            self.block(&arm.body);
        }
    }

    /// Which cards may come here, as far as it is known; `None` when capabilities do not decide.
    fn reached_by(&self, extra: Option<(&'c Expr<'c>, bool)>) -> Option<Vec<Capability>> {
        let given: Vec<(&Expr<'c>, bool)> = self.given.iter().copied().chain(extra).collect();
        let may = |card: &Capability| {
            given.iter().all(|(test, met)| self.conditions.holds(test, *card) != Some(!met))
        };
        let cards: Vec<Capability> = self.cards.iter().copied().filter(may).collect();
        (cards.len() < self.cards.len() && !cards.is_empty()).then_some(cards)
    }

    fn note(&mut self, test: &'c Expr<'c>) {
        if let Some(cards) = self.reached_by(Some((test, true)))
            && self.conditions.speaks(test)
        {
            let from = self.lowest_of(test);
            self.tests.push(Test { span: test.span, cards, from });
        }
    }

    /// The lowest capability that a condition with a lower bound lets through, where nothing else decides.
    fn lowest_of(&self, test: &Expr<'c>) -> Option<Capability> {
        let holds = |card: &Capability| self.conditions.holds(test, *card);
        // Whether there is a GPU at all does not change which it is.
        let decided = self.cards.iter().all(|card| holds(card).is_some())
            || self.conditions.scope.text(test.span).contains("cuda.is_available()");
        let first = self.cards.iter().copied().find(|card| holds(card) != Some(false))?;
        (decided && bounds_below(test) && Some(&first) != self.cards.first()).then_some(first)
    }

    /// The innermost condition about capabilities that holds here.
    fn gate(&self, extra: Option<(&'c Expr<'c>, bool)>) -> Option<(&'c Expr<'c>, bool)> {
        let mut all = extra.into_iter().chain(self.given.iter().rev().copied());
        all.find(|(test, _)| self.conditions.speaks(test))
    }

    fn value(&mut self, value: &'c Expr<'c>, target: Option<&'c str>) {
        if let ExprKind::Choice(parts) = &value.kind {
            let (test, then, otherwise) = &**parts;
            self.note(test);
            self.under(test, true, |look| look.value(then, target));
            self.under(test, false, |look| look.value(otherwise, target));
            return;
        }
        let turned_on = matches!(value.kind, ExprKind::Bool(true));
        let label = match (turned_on, target) {
            (true, Some(target)) => {
                labels::of_identifier(target).map(|architectures| Label { architectures, span: value.span })
            }
            _ => labels::of_value(value),
        };
        if let Some(label) = label {
            self.label(&label);
        }
        let by_name = target.filter(|_| turned_on).and_then(labels::feature_of_identifier);
        if let Some((feature, span)) =
            by_name.map(|feature| (feature, value.span)).or_else(|| self.feature_in(value))
        {
            self.feature(feature, span, None);
        }
        self.named_arguments(value);
    }

    /// A label stands where some cards come.
    fn label(&mut self, label: &Label) {
        let (Some(cards), Some((gate, met))) = (self.reached_by(None), self.gate(None)) else { return };
        self.compare(&cards, gate, met, label);
    }

    fn compare(&mut self, cards: &[Capability], gate: &Expr<'c>, met: bool, label: &Label) {
        let none = cards.iter().all(|one| !is(*one, label));
        let lowest = self.lowest_of(gate).filter(|one| met && cards.contains(one));
        // `cc >= 90` for Blackwell takes Hopper for it.
        let first = lowest.filter(|one| {
            !is(*one, label)
                && label.architectures.iter().all(|(name, _)| architecture_of(*one) < Some(*name))
        });
        if none {
            self.say(cards[0], label, gate.span);
        } else if let Some(first) = first {
            self.say(first, label, gate.span);
        }
    }

    fn say(&mut self, card: Capability, label: &Label, gate: Span) {
        let text = super::claims::not_so(super::range::Range::Exactly(card), label.architectures[0].0);
        let beside = Some((gate, "this is the condition"));
        self.found.push(Found {
            topic: Topic::Architecture,
            span: label.span,
            text,
            in_prose: false,
            beside,
        });
    }

    /// `is_hopper = capability >= (8, 9)`, `use_bf16 = major >= 7`, and what functions of such names return.
    fn named_condition(&mut self, name: Option<&'c str>, value: &'c Expr<'c>) {
        let Some(name) = name else { return };
        if !matches!(
            value.kind,
            ExprKind::Compare(..)
                | ExprKind::All(_)
                | ExprKind::Any(_)
                | ExprKind::Unknown(_)
                | ExprKind::Not(_)
                | ExprKind::Call(_)
        ) || !self.conditions.speaks(value)
        {
            return;
        }
        let Some(cards) = self.reached_by(Some((value, true))) else { return };
        if let Some(architectures) = labels::of_identifier(name) {
            self.compare(&cards, value, true, &Label { architectures, span: value.span });
        }
        if let Some(feature) = labels::feature_of_identifier(name) {
            self.feature(feature, value.span, Some((value, true)));
        }
    }

    /// `Trainer(bf16=major >= 7)`, `{"bf16": major >= 7}`
    fn named_arguments(&mut self, value: &'c Expr<'c>) {
        match &value.kind {
            ExprKind::Call(call) => {
                for argument in &call.arguments {
                    self.named_condition(argument.name, &argument.value);
                    if let ExprKind::Choice(_) | ExprKind::Call(_) | ExprKind::Mapping(_) =
                        argument.value.kind
                    {
                        self.nested(&argument.value, argument.name);
                    }
                }
            }
            ExprKind::Mapping(entries) => {
                for (key, value) in entries {
                    let name = match key.as_ref().map(|key| &key.kind) {
                        Some(ExprKind::Text(std::borrow::Cow::Borrowed(name))) => Some(*name),
                        _ => None,
                    };
                    self.named_condition(name, value);
                    if let ExprKind::Choice(_) = value.kind {
                        self.nested(value, name);
                    }
                }
            }
            _ => {}
        }
    }

    fn nested(&mut self, value: &'c Expr<'c>, name: Option<&'c str>) {
        if let ExprKind::Choice(parts) = &value.kind {
            let (test, then, otherwise) = &**parts;
            self.under(test, true, |look| look.nested_end(then, name));
            self.under(test, false, |look| look.nested_end(otherwise, name));
        } else {
            self.named_arguments(value);
        }
    }

    fn nested_end(&mut self, value: &'c Expr<'c>, name: Option<&'c str>) {
        let turned_on = matches!(value.kind, ExprKind::Bool(true));
        let by_name = name.filter(|_| turned_on).and_then(labels::feature_of_identifier);
        if let Some(label) = labels::of_value(value) {
            self.label(&label);
        }
        if let Some((feature, span)) =
            by_name.map(|feature| (feature, value.span)).or_else(|| self.feature_in(value))
        {
            self.feature(feature, span, None);
        }
    }

    /// What prints or logs, and so speaks of what is there; features in it turn nothing on.
    fn report(&mut self, value: &'c Expr<'c>) -> bool {
        let ExprKind::Call(call) = &value.kind else { return false };
        let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &call.callee.kind else { return false };
        if !matches!(
            *name,
            "print" | "info" | "debug" | "warning" | "warn" | "error" | "log" | "echo" | "write" | "append"
        ) {
            return false;
        }
        for argument in &call.arguments {
            let texts: Vec<&Expr<'c>> = match &argument.value.kind {
                ExprKind::Join(parts) => parts.iter().collect(),
                _ => vec![&argument.value],
            };
            for text in texts {
                let ExprKind::Text(words) = &text.kind else { continue };
                let named = labels::named(words);
                let loose = named.is_none();
                if let Some(architectures) = named.or_else(|| labels::spoken_of(words)) {
                    let before = self.found.len();
                    self.label(&Label { architectures, span: argument.value.span });
                    self.found[before..].iter_mut().for_each(|one| one.in_prose = loose);
                }
            }
        }
        true
    }

    /// A feature that a value asks for: `torch.bfloat16`, `"flash_attention_2"`, `bf16=True`.
    fn feature_in(&self, value: &Expr<'c>) -> Option<(&'static Feature, Span)> {
        let names = self.conditions.scope.names;
        if let Some(path) = names.path(value)
            && let Some((library, last)) = path.rsplit_once('.')
            && ["torch", "jax.numpy", "tensorflow", "ml_dtypes"].contains(&library)
        {
            let word = last.split('_').next().unwrap_or(last);
            return labels::feature_of_text(word).map(|feature| (feature, value.span));
        }
        match &value.kind {
            ExprKind::Text(text) => labels::feature_of_text(text).map(|feature| (feature, value.span)),
            ExprKind::Sequence(parts) => parts.iter().find_map(|part| self.feature_in(part)),
            ExprKind::Mapping(entries) => entries.iter().find_map(|(_, value)| self.feature_in(value)),
            ExprKind::Call(call) => {
                let on =
                    call.arguments.iter().find_map(|argument| match (argument.name, &argument.value.kind) {
                        (Some(name), ExprKind::Bool(true)) => {
                            labels::feature_of_identifier(name).map(|feature| (feature, argument.value.span))
                        }
                        _ => self.feature_in(&argument.value),
                    });
                on.or_else(|| match &call.callee.kind {
                    ExprKind::Attribute(..) => match names.path(&call.callee).unwrap_or_default() {
                        path if path.ends_with("fp8_autocast") => {
                            labels::feature_of_text("fp8").map(|feature| (feature, value.span))
                        }
                        _ => None,
                    },
                    _ => None,
                })
            }
            _ => None,
        }
    }

    /// A feature is turned on where cards come that have none of it.
    fn feature(&mut self, feature: &'static Feature, used: Span, extra: Option<(&'c Expr<'c>, bool)>) {
        let (Some(cards), Some((gate, true))) = (self.reached_by(extra), self.gate(extra)) else { return };
        let bounded = cards.first() != self.cards.first();
        let others = self.given.iter().copied().chain(extra);
        let asked = others
            .filter(|(test, met)| *met && !std::ptr::eq(*test, gate))
            .any(|(test, _)| self.conditions.asks_more(test))
            || (extra.is_none() && self.conditions.asks_more(gate));
        let elsewhere = self.functions.iter().any(|name| {
            feature
                .unless
                .iter()
                .chain(&["emul".to_owned()])
                .any(|word| name.to_lowercase().contains(word.as_str()))
        });
        if !bounded || asked || elsewhere || cards[0] >= feature.minimum {
            return;
        }
        let text = labels_text(feature, cards[0]);
        let beside = (used != gate.span).then_some((used, "this is what it lets through"));
        self.found.push(Found { topic: Topic::Feature, span: gate.span, text, in_prose: false, beside });
    }
}

fn labels_text(feature: &Feature, card: Capability) -> String {
    super::features::begins(feature, &format!("compute capability {card}"))
}

fn is(card: Capability, label: &Label) -> bool {
    let Some(own) = architecture_of(card) else { return true };
    label.architectures.iter().any(|&(name, newer)| name == own || (newer && own > name))
}

/// The label that a step gives: what it assigns, or returns.
fn label_of_step(step: &Statement<'_>) -> Option<Label> {
    match &step.kind {
        StatementKind::Assign { value: Some(value), .. } | StatementKind::Return(Some(value)) => {
            labels::of_value(value)
        }
        _ => None,
    }
}

fn name_of<'c>(target: &Target<'c>) -> Option<&'c str> {
    match target {
        Target::Name(name, _) | Target::Attribute(_, name) => Some(name),
        _ => None,
    }
}

/// A block does not go on to what is behind it.
fn leaves(block: &Block<'_>) -> bool {
    block.last().is_some_and(|step| {
        use StatementKind::{Break, Continue, Raise, Return};
        matches!(step.kind, Return(_) | Raise { .. } | Continue | Break)
    })
}

/// Some part of a condition asks for more than a number.
fn bounds_below(test: &Expr<'_>) -> bool {
    match &test.kind {
        ExprKind::Compare(comparison, _) => matches!(
            comparison,
            Comparison::Greater | Comparison::GreaterOrEqual | Comparison::Less | Comparison::LessOrEqual
        ),
        ExprKind::All(parts) | ExprKind::Any(parts) => parts.iter().any(bounds_below),
        ExprKind::Unknown(parts) => parts.len() > 2,
        _ => false,
    }
}
