//! Tables and constants in code: `{(8, 6): "Ampere"}`, `[("sm_89", "Ada")]`, `HOPPER = (9, 0)`, records of one card.

use super::claims;
use super::conditions::{capability_of, names_capability};
use super::labels;
use super::mentions::{Mention, MentionKind, only_name};
use super::range::Range;
use super::sizes::{gb, is_size, is_size_among};
use super::{Found, Topic};
use crate::architectures::{Capability, Feature, Product};
use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Expr, ExprKind, StatementKind, Target};
use crate::facts::Span;
use crate::rules::files::FileScope;

/// The faults of all literals of a file.
pub(super) fn faults(scope: &FileScope<'_>) -> Vec<Found> {
    let mut look = LiteralScan { scope, versions: Vec::new(), found: Vec::new() };
    walk(scope.code, &mut |part, _| match part {
        CodeNode::Statement(step) => {
            if let StatementKind::Assign { targets, value: Some(value), .. } = &step.kind
                && let [Target::Name(name, _)] = &targets[..]
            {
                look.constant(name, value);
                look.note_versions(name, value);
                if let ExprKind::Mapping(entries) = &value.kind {
                    look.sizes(name, entries);
                }
            }
        }
        CodeNode::Expr(expr) => match &expr.kind {
            ExprKind::Mapping(entries) => {
                look.entries(entries, look.versions.contains(&expr.span.start));
                look.record(
                    entries
                        .iter()
                        .filter_map(|(key, value)| Some((text_of(key.as_ref()?)?, value)))
                        .collect(),
                );
            }
            ExprKind::Sequence(parts) => look.pairs(parts),
            ExprKind::Call(call) => {
                look.fields_in_order(call);
                let named = call.arguments.iter().filter_map(|one| Some((one.name?, &one.value)));
                look.record(named.collect());
            }
            _ => {}
        },
        CodeNode::Target(_) => {}
    });
    look.found
}

struct LiteralScan<'a> {
    scope: &'a FileScope<'a>,
    /// Tables of versions, by where they begin: `MIN_CUDA = {"ampere": "11.0"}`.
    versions: Vec<u32>,
    found: Vec<Found>,
}

fn text_of<'e>(expr: &'e Expr<'_>) -> Option<&'e str> {
    match &expr.kind {
        ExprKind::Text(text) => Some(text),
        _ => None,
    }
}

impl LiteralScan<'_> {
    /// A number or a text that is a capability, as a key.
    fn key(&self, expr: &Expr<'_>) -> Option<Range> {
        match &expr.kind {
            ExprKind::Int(number @ 2..=19) => Some(Range::Major(*number as u8)),
            ExprKind::Int(number) => Capability::of_number(*number).map(Range::Exactly),
            ExprKind::Text(text) => match text.strip_suffix(".x") {
                Some(major) => major.parse().ok().map(Range::Major),
                None => capability_of(self.scope, expr)
                    .or_else(|| Capability::of_number(text.parse().ok()?))
                    .map(Range::Exactly),
            },
            _ => capability_of(self.scope, expr).map(Range::Exactly),
        }
        .filter(|range| !range.known().is_empty())
    }

    /// What stands under a key that is a capability, or the other way round.
    fn entries(&mut self, entries: &[(Option<Expr<'_>>, Expr<'_>)], of_versions: bool) {
        let mut turned = Vec::new();
        // `{1: "abap", 3: "ada", 4: "apache"}` is a table of something else.
        let labelled = entries.iter().filter(|(_, value)| labels::of_value(value).is_some()).count();
        let is_about_cards = labelled * 2 >= entries.len();
        for (key, value) in entries {
            let Some(key) = key else { continue };
            if let Some(name) = text_of(key) {
                self.note_versions(name, value);
            }
            if let Some(range) = self.key(key) {
                if let Some(label) = labels::of_value(value).filter(|_| is_about_cards) {
                    self.compare(range, &label.architectures, label.span);
                }
                self.product_at(range, value);
            } else if let Some(names) = text_of(key)
                .and_then(labels::named)
                .or_else(|| labels::of_value(key).map(|one| one.architectures))
            {
                turned.push((names, value));
            }
            if let Some(product) = text_of(key).and_then(product_of) {
                self.of_product(product, value);
            }
            // `{"bf16": (7, 0)}`
            if let (Some(feature), ExprKind::Sequence(_)) =
                (text_of(key).and_then(labels::feature_of_text), &value.kind)
            {
                self.minimum(feature, value);
            }
        }
        if !of_versions {
            self.by_architecture(&turned);
        }
    }

    /// Numbers under such a name are versions of software.
    fn note_versions(&mut self, name: &str, value: &Expr<'_>) {
        let lower = name.to_lowercase();
        let words = ["cuda", "cudnn", "driver", "version", "toolkit", "torch", "ptx", "tensorrt"];
        let of_hardware = ["capab", "arch", "sm"].iter().any(|word| lower.contains(word));
        if words.iter().any(|word| lower.contains(word)) && !of_hardware {
            self.versions.push(value.span.start);
        }
    }

    /// `{"ampere": (8, 0), "hopper": 90}`: numbers alone may be anything, unless one of them is right.
    fn by_architecture(&mut self, entries: &[(Vec<(usize, bool)>, &Expr<'_>)]) {
        let ranges = |value: &Expr<'_>| -> Vec<Range> {
            let several = match &value.kind {
                ExprKind::Sequence(parts) if capability_of(self.scope, value).is_none() => {
                    parts.iter().collect()
                }
                _ => vec![value],
            };
            let keys: Option<Vec<Range>> = several
                .into_iter()
                .map(|one| self.key(one).filter(|range| matches!(range, Range::Exactly(_))))
                .collect();
            keys.unwrap_or_default()
        };
        let tuple = |value: &Expr<'_>| {
            matches!(value.kind, ExprKind::Sequence(_))
                || text_of(value).is_some_and(|text| text.starts_with("sm"))
        };
        let right = |names: &[(usize, bool)], range: &Range| {
            names.iter().any(|&(name, newer)| range.may_be(name, newer))
        };
        let any_right =
            entries.iter().any(|(names, value)| ranges(value).iter().any(|range| right(names, range)));
        let mut wrong = Vec::new();
        for (names, value) in entries {
            if let Some(range) = ranges(value).into_iter().find(|range| !right(names, range))
                && (tuple(value) || any_right)
            {
                wrong.push((range, names.clone(), value.span));
            }
        }
        for (range, names, span) in wrong {
            self.compare(range, &names, span);
        }
    }

    /// `("8.6", "Ampere")` in a list; `(8, 6, "Ampere")`.
    fn pairs(&mut self, parts: &[Expr<'_>]) {
        let (range, rest) = match parts {
            [Expr { kind: ExprKind::Int(major), .. }, Expr { kind: ExprKind::Int(minor), .. }, name]
                if (2..20).contains(major) && (0..10).contains(minor) =>
            {
                (
                    Some(Range::Exactly(Capability { major: *major as u8, minor: *minor as u8 })),
                    std::slice::from_ref(name),
                )
            }
            [first, rest @ ..] if !rest.is_empty() && !matches!(first.kind, ExprKind::Int(0..20)) => {
                (self.key(first), rest)
            }
            _ => return,
        };
        match range {
            Some(range) => {
                if let Some(label) = rest.iter().find_map(|one| match &one.kind {
                    ExprKind::Text(_) | ExprKind::Attribute(..) => labels::of_value(one),
                    _ => None,
                }) && range.known().iter().all(|one| one.is_known())
                {
                    self.compare(range, &label.architectures, label.span);
                }
            }
            // `("Ampere", (8, 6))`, `("RTX 3090", "8.6", "Ampere", 24)`
            None => {
                let mut named: Vec<Mention> = Vec::new();
                for part in parts {
                    if let Some(text) = text_of(part)
                        && let Some(only) = only_name(text)
                        && (only.start == 0 && only.end == text.len())
                    {
                        named.push(only);
                    } else if let ExprKind::Sequence(_) | ExprKind::Text(_) = part.kind
                        && let Some(one) = capability_of(self.scope, part).filter(|one| one.is_known())
                    {
                        named.push(said(Range::Exactly(one)));
                    }
                }
                let span = parts.first().map_or(Span { start: 0, end: 0 }, |first| first.span);
                self.row(&named, span);
            }
        }
    }

    /// `Gpu("RTX 3090", (8, 6), 24)`
    fn fields_in_order(&mut self, call: &Call<'_>) {
        let (ExprKind::Name(made) | ExprKind::Attribute(_, made)) = &call.callee.kind else { return };
        let made = made.to_lowercase();
        if !["gpu", "card", "device", "spec", "hardware"].iter().any(|word| made.contains(word)) {
            return;
        }
        let mut values = call.arguments.iter().filter(|one| one.name.is_none()).map(|one| &one.value);
        if let Some(product) = values.next().and_then(text_of).and_then(product_of) {
            let name = Mention { what: MentionKind::Product { product, exactly: true }, start: 0, end: 0 };
            for value in values {
                if let ExprKind::Sequence(_) = value.kind
                    && let Some(one) = capability_of(self.scope, value).filter(|one| one.is_known())
                {
                    self.row(&[name, said(Range::Exactly(one))], value.span);
                }
            }
        }
    }

    fn row(&mut self, named: &[Mention], span: Span) {
        for fault in claims::of_one_row(named) {
            self.found.push(Found {
                topic: fault.topic,
                span,
                text: fault.text,
                in_prose: false,
                beside: None,
            });
        }
    }

    /// The capability that a feature is said to begin with.
    fn minimum(&mut self, feature: &Feature, value: &Expr<'_>) {
        // The bits of exponent and mantissa of small floats, which nobody means as a capability.
        const BITS: &[(u8, u8)] = &[(2, 1), (4, 3), (5, 2)];
        if let Some(said) =
            capability_of(self.scope, value).filter(|said| said.is_known() && *said < feature.minimum)
            && !BITS.contains(&(said.major, said.minor))
        {
            let text = super::features::begins(feature, &format!("compute capability {said}"));
            self.found.push(Found {
                topic: Topic::Feature,
                span: value.span,
                text,
                in_prose: false,
                beside: None,
            });
        }
    }

    /// `HOPPER = (9, 0)`, `SM_ADA = 89`, `MIN_CC_FOR_BF16 = (7, 0)`
    fn constant(&mut self, name: &str, value: &Expr<'_>) {
        let lower = name.to_lowercase();
        if let (Some(feature), ExprKind::Sequence(_)) = (labels::feature_of_identifier(name), &value.kind)
            && ["min", "cc", "cap", "requires", "since"].iter().any(|word| lower.contains(word))
        {
            self.minimum(feature, value);
        }
        let Some(names) = labels::of_identifier(name) else { return };
        let range = match &value.kind {
            // A plain number is a capability by the shape of what it stands beside.
            ExprKind::Int(number) if *number >= 50 => {
                Capability::of_number(*number).filter(|one| one.is_known()).map(Range::Exactly)
            }
            ExprKind::Sequence(parts) if parts.len() == 2 => self.key(value),
            ExprKind::Text(text) if text.starts_with("sm") || text.contains('.') => self.key(value),
            ExprKind::Outside(_) => self.key(value),
            _ => None,
        };
        if let Some(range) = range.filter(|range| matches!(range, Range::Exactly(_))) {
            let newest = names.iter().all(|(_, newer)| !newer);
            if newest {
                self.compare(range, &names, value.span);
            }
        }
    }

    fn compare(&mut self, range: Range, names: &[(usize, bool)], span: Span) {
        if !names.iter().any(|&(name, newer)| range.may_be(name, newer)) {
            let text = claims::not_so(range, names[0].0);
            self.found.push(Found { topic: Topic::Architecture, span, text, in_prose: false, beside: None });
        }
    }

    /// `{"cc": "8.6", "arch": "Ada", "name": "RTX 3090", "vram_gb": 24}`
    fn record(&mut self, fields: Vec<(&str, &Expr<'_>)>) {
        let mut named: Vec<Mention> = Vec::new();
        let mut product = None;
        let mut span = None;
        for (key, value) in &fields {
            let lower = key.to_lowercase();
            let is_name = text_of(value).and_then(labels::named).is_some();
            if !is_name && (names_capability(&lower) || lower.contains("capab")) {
                if let Some(range) = self.key(value).filter(|range| matches!(range, Range::Exactly(_))) {
                    named.push(said(range));
                    span = Some(value.span);
                }
            } else if let Some(text) = text_of(value)
                && let Some(only) = only_name(text)
            {
                match only.what {
                    MentionKind::Architecture { .. }
                        if labels::names_architecture(&lower) && labels::named(text).is_some() =>
                    {
                        named.push(only);
                        span = span.or(Some(value.span));
                    }
                    MentionKind::Product { product: one, exactly }
                        if [
                            "name",
                            "gpu",
                            "model",
                            "product",
                            "card",
                            "device",
                            "gpu_name",
                            "device_name",
                        ]
                        .contains(&lower.as_str()) =>
                    {
                        named.push(only);
                        product = exactly.then_some(one);
                    }
                    _ => {}
                }
            }
        }
        if let Some(span) = span {
            self.row(&named, span);
        }
        if let Some(product) = product {
            self.size_in(product, &fields);
        }
    }

    /// `{"RTX 3090": {"arch": "Ada", "vram_gb": 24}}`, `{"RTX 3090": "Ada"}`, `{"RTX 3090": (8, 9)}`
    fn of_product(&mut self, product: &'static Product, value: &Expr<'_>) {
        let name = Mention { what: MentionKind::Product { product, exactly: true }, start: 0, end: 0 };
        if let Some(label) = labels::of_value(value) {
            let (index, and_newer) = label.architectures[0];
            let what = MentionKind::Architecture { index, and_newer, lower_case: false };
            if label.architectures.len() == 1 {
                self.row(&[name, Mention { what, start: 0, end: 0 }], label.span);
            }
        }
        if let ExprKind::Sequence(_) | ExprKind::Text(_) = value.kind
            && let Some(one) = capability_of(self.scope, value).filter(|one| one.is_known())
        {
            self.row(&[name, said(Range::Exactly(one))], value.span);
        }
        if let ExprKind::Mapping(entries) = &value.kind {
            let fields: Vec<(&str, &Expr<'_>)> =
                entries.iter().filter_map(|(key, value)| Some((text_of(key.as_ref()?)?, value))).collect();
            self.size_in(product, &fields);
            for (key, value) in fields {
                if names_capability(key)
                    && let Some(range) = self.key(value).filter(|range| matches!(range, Range::Exactly(_)))
                {
                    self.row(&[name, said(range)], value.span);
                }
            }
        }
    }

    fn product_at(&mut self, range: Range, value: &Expr<'_>) {
        let several = match &value.kind {
            ExprKind::Sequence(parts) => parts.iter().collect(),
            _ => vec![value],
        };
        for one in several {
            if let (Range::Exactly(_), Some(product)) = (range, text_of(one).and_then(product_of)) {
                let name =
                    Mention { what: MentionKind::Product { product, exactly: true }, start: 0, end: 0 };
                self.row(&[name, said(range)], one.span);
            }
        }
    }

    fn size_in(&mut self, product: &'static Product, fields: &[(&str, &Expr<'_>)]) {
        for (key, value) in fields {
            if is_size_among(key, fields)
                && let Some(gb) = gb(value)
                && let Some(text) = claims::memory_of_row(product, gb)
            {
                self.found.push(Found {
                    topic: Topic::Product,
                    span: value.span,
                    text,
                    in_prose: false,
                    beside: None,
                });
            }
        }
    }

    /// `GPU_VRAM_GB = {"RTX 3090": 24, …}`
    fn sizes(&mut self, name: &str, entries: &[(Option<Expr<'_>>, Expr<'_>)]) {
        if !is_size(name) {
            return;
        }
        for (key, value) in entries {
            if let Some(product) = key.as_ref().and_then(text_of).and_then(product_of)
                && let Some(gb) = gb(value)
                && let Some(text) = claims::memory_of_row(product, gb)
            {
                self.found.push(Found {
                    topic: Topic::Product,
                    span: value.span,
                    text,
                    in_prose: false,
                    beside: None,
                });
            }
        }
    }
}

fn said(range: Range) -> Mention {
    Mention { what: MentionKind::Capability { range, said: true }, start: 0, end: 0 }
}

/// The product that a text is the name of.
fn product_of(text: &str) -> Option<&'static Product> {
    let plain = text.trim_start_matches("NVIDIA ").trim_start_matches("GeForce ");
    match only_name(plain)? {
        Mention { what: MentionKind::Product { product, exactly: true }, start: 0, end }
            if end == plain.len() =>
        {
            Some(product)
        }
        _ => None,
    }
}
