//! What conditions ask of the values of variables: of the one that is written, and of the one in force.

use super::conditions::{Verdict, happened, reaching};
use super::evaluate::{Scope, ScopeKind};
use super::schema::{AllocatorFault, EarlierEvent, InForce, MaskFault, Selects, ValueCondition};
use crate::allocator;
use crate::masks::{self, Fault, Kind};
use crate::program::trace::{Event, EventId, EventKind, NOT_NOTED};
use crate::program::{Definition, MASK, Reaching};

impl Scope<'_> {
    /// A value in force that fits, with the write it comes from, and whether it is the only one.
    pub(super) fn value_in_force(
        &self,
        wanted: &InForce,
        event: &Event,
    ) -> Option<((EventId, String), bool)> {
        let found = reaching(event, &wanted.variable);
        let accepted = self.policy.gpu.as_ref().map_or(&[][..], |gpu| gpu.accepted_masks());
        let fits = |value: &str| {
            let kind = wanted
                .selects
                .is_none_or(|selects| selects_by_integer(value) == (selects == Selects::Integer));
            let accepted = || hides_all(value) || accepted.iter().any(|mask| same_mask(mask, value));
            kind && !(wanted.differs_from_policy && accepted())
        };
        let comes_with = |write: EventId| {
            wanted.without.as_deref().is_some_and(|other| self.comes_with(write, reaching(event, other)))
        };
        // With a policy it matters which ones.
        let by_index = |write: EventId| {
            let is_asked = wanted.selects == Some(Selects::Integer) && !wanted.differs_from_policy;
            is_asked && matches!(self.trace.event(write).what, EventKind::Write { by_index: true, .. })
        };
        let first = found.iter().find_map(|definition| match definition {
            // Values that an import sets have no event to point at.
            Definition::Set(write, Some(value))
                if *write != NOT_NOTED && fits(value) && !comes_with(*write) =>
            {
                Some((*write, value.to_string()))
            }
            Definition::Set(write, None)
                if *write != NOT_NOTED && by_index(*write) && !comes_with(*write) =>
            {
                Some((*write, String::new()))
            }
            _ => None,
        })?;
        let all = found.iter().all(|definition| match definition {
            Definition::Set(_, Some(value)) => fits(value),
            Definition::Set(write, None) => *write != NOT_NOTED && by_index(*write),
            _ => false,
        });
        Some((first, all))
    }

    /// Whether one of these definitions was made on every path that leads through a write.
    fn comes_with(&self, write: EventId, definitions: &Reaching) -> bool {
        let arms = &self.trace.event(write).arms;
        definitions.iter().any(|definition| match definition {
            Definition::Set(other, _) if *other != NOT_NOTED => {
                let other_arms = &self.trace.event(*other).arms;
                other_arms == arms || (*other < write && arms.starts_with(other_arms))
            }
            _ => false,
        })
    }

    /// The write of the same variable that a value takes back, with the setting that differs.
    fn contradicted(&self, value: &str, event: &Event) -> Option<(EventId, String)> {
        // What was read has had its effect.
        let [Definition::Set(write, Some(known))] = &event.before.written[..] else { return None };
        let earlier = (*write != NOT_NOTED).then(|| self.trace.event(*write))?;
        let together = event.certain && earlier.certain && earlier.in_child == event.in_child;
        let unread = event.before.late.is_empty() && !self.was_handed_on(*write);
        (together && unread)
            .then(|| allocator::contradiction(known, value))
            .flatten()
            .map(|found| (*write, found))
    }

    pub(super) fn is_written(&self, wanted: &ValueCondition, event: &Event, verdict: &mut Verdict) -> bool {
        let EventKind::Write { value: Some(value), only_if_unset, .. } = &event.what else { return false };
        let order = self.policy.gpu.as_ref().and_then(|gpu| gpu.device_order);
        let earlier = || {
            event.before.written.iter().find_map(|definition| match definition {
                // To hide all GPUs for a while is no choice of a card.
                Definition::Set(write, Some(known))
                    if *write != NOT_NOTED
                        // A worker that takes its share of the cards contradicts nobody.
                        && self.trace.event(*write).in_child == event.in_child
                        && !same_mask(known, value)
                        && !hides_all(known)
                        && !hides_all(value)
                        && !self.was_handed_on(*write)
                        && !self.puts_back(event, *write, value) =>
                {
                    Some((*write, known.to_string()))
                }
                _ => None,
            })
        };
        let stays = *only_if_unset && !event.before.written.iter().any(Definition::is_absent);
        let is_set = |definition: &Definition| matches!(definition, Definition::Set(..));
        if *only_if_unset && !event.before.written.is_empty() && event.before.written.iter().all(is_set) {
            return false;
        }
        let in_list = |list: &[String]| list.iter().any(|known| known == value.trim());
        if in_list(&wanted.none_of) || !(wanted.one_of.is_empty() || in_list(&wanted.one_of)) {
            return false;
        }
        if wanted.matches.as_ref().is_some_and(|pattern| !pattern.is_in(value)) {
            return false;
        }
        if wanted.quoted && !is_quoted(value) {
            return false;
        }
        if wanted.by_index && !selects_by_integer(value) {
            return false;
        }
        if wanted.mask.is_some_and(|fault| !fault.is_in(value)) {
            return false;
        }
        if wanted.template.is_some_and(|wanted| wanted != is_template(value)) {
            return false;
        }
        if wanted.integer.is_some_and(|wanted| wanted != begins_like_an_integer(value)) {
            return false;
        }
        if let Some(fault) = wanted.allocator {
            let EventKind::Write { variable, .. } = &event.what else { return false };
            verdict.fault = fault.in_value(variable, value);
            return verdict.fault.is_some();
        }
        if wanted.contradicts_earlier {
            let contradicted = self.contradicted(value, event);
            verdict.fault = contradicted.as_ref().map(|(_, setting)| {
                let fault = format!("it was given `{setting}` just before, and only the last value counts");
                (fault, String::new())
            });
            verdict.definition = contradicted;
            return verdict.fault.is_some() && !stays;
        }
        if wanted.differs_from_policy && order.is_none_or(|order| order.as_str() == value) {
            return false;
        }
        if wanted.differs_from_earlier {
            verdict.definition = earlier();
            verdict.on_some_paths |= event.before.written.len() > 1;
            return !stays && verdict.definition.is_some();
        }
        true
    }

    /// Whether a write gives the variable the value again that it had before an earlier one, from where it was kept.
    fn puts_back(&self, event: &Event, earlier: EventId, value: &str) -> bool {
        let held = |definition: &Definition| matches!(definition, Definition::Set(_, Some(known)) if &**known == value);
        let text = self.program.text(event.statement);
        let is_literal = [format!("\"{value}\""), format!("'{value}'")].iter().any(|one| text.contains(one));
        !is_literal && self.trace.event(earlier).before.written.iter().any(held)
    }

    /// Whether a launcher started a program while the value of this write was in force: the next one may get
    /// another card.
    fn was_handed_on(&self, write: EventId) -> bool {
        let has_it = |event: &Event| {
            let mut mask = event.before.mask.iter();
            mask.any(|definition| matches!(definition, Definition::Set(known, _) if *known == write))
        };
        let mut starts =
            self.trace.events.iter().filter(|event| matches!(event.what, EventKind::Launch { .. }));
        self.kind == ScopeKind::Launcher && starts.any(has_it)
    }

    /// Whether a write takes a value that was not in force when the earlier thing happened.
    pub(super) fn is_new_value(&self, event: &Event, earlier: EarlierEvent) -> bool {
        let EventKind::Write { variable, value, only_if_unset, .. } = &event.what else { return false };
        let Some(happened) = happened(event, earlier) else { return false };
        if *only_if_unset && !event.before.written.iter().any(Definition::is_absent) {
            return false;
        }
        let initialised = self.trace.event(happened.event);
        let then = reaching(initialised, variable);
        let is_known = then.iter().any(|definition| match definition {
            Definition::Set(_, Some(known)) => value
                .as_deref()
                .is_some_and(|value| value == &**known || (variable == MASK && same_mask(value, known))),
            // What the caller or an unknown update gave may be this very value.
            Definition::Elsewhere => true,
            _ => false,
        });
        !is_known && !self.is_given_again(event, initialised, then)
    }
}

impl MaskFault {
    fn is_in(self, value: &str) -> bool {
        if is_template(value) {
            return false;
        }
        match masks::read(value).fault {
            Some(Fault::HidesAll | Fault::Repeated) => self == MaskFault::HidesAll,
            Some(Fault::CutShort) => self == MaskFault::CutShort,
            None => false,
        }
    }
}

impl AllocatorFault {
    /// What is wrong with a value in this way, and what is wanted.
    fn in_value(self, variable: &str, value: &str) -> Option<(String, String)> {
        if is_template(value) {
            return None;
        }
        if self == AllocatorFault::IgnoredByBackend {
            let ignored = allocator::ignored_by_backend(value);
            let what = "no effect with `backend:cudaMallocAsync`";
            return (!ignored.is_empty())
                .then(|| (format!("`{}` has {what}", ignored.join("`, `")), String::new()));
        }
        let problem = allocator::problem(value)?;
        let is_unknown = problem.kind == allocator::Kind::UnknownKey;
        if is_unknown != (self == AllocatorFault::UnknownKey) {
            return None;
        }
        // The name for ROCm is not looked at when torch is imported in a build for CUDA.
        let aborts = problem.kind == allocator::Kind::Aborts && variable != "PYTORCH_HIP_ALLOC_CONF";
        let what = match aborts {
            true => "ends the interpreter at `import torch`, on machines without a GPU too",
            false => "raises an error at the first call that initialises CUDA",
        };
        let wanted = match problem.wanted.contains(['`', ' ']) {
            true => problem.wanted.into_owned(),
            false => format!("`{}`", problem.wanted),
        };
        Some((format!("`{}` {what}", problem.item), wanted))
    }
}

/// Somebody else fills it in.
pub(super) fn is_template(value: &str) -> bool {
    value.contains(['$', '%', '{', '<']) || is_dealt_out(value)
}

/// `RR`, `RR0:2`: Jina gives the copies of an executor one GPU each, in turn.
fn is_dealt_out(value: &str) -> bool {
    let is_slice = |rest: &str| rest.chars().all(|one| one.is_ascii_digit() || matches!(one, ':' | ','));
    value.trim().strip_prefix("RR").is_some_and(|rest| is_slice(rest) || rest.starts_with("GPU-"))
}

/// What `stoi` takes.
fn begins_like_an_integer(value: &str) -> bool {
    let value = value.trim_start();
    let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
    digits.starts_with(|first: char| first.is_ascii_digit()) || is_template(value)
}

/// Whether quotes are a part of a value.
fn is_quoted(value: &str) -> bool {
    let between = |quote| value.len() > 1 && value.starts_with(quote) && value.ends_with(quote);
    between('"') || between('\'')
}

/// Whether a mask selects by index.
pub(super) fn selects_by_integer(mask: &str) -> bool {
    masks::read(mask).kind == Kind::Index
}

/// `""` and `-1` say that the program uses no GPU.
fn hides_all(mask: &str) -> bool {
    masks::read(mask).kind == Kind::Nothing
}

/// Whether two masks select the same GPUs in the same order; blanks do not count.
pub(super) fn same_mask(one: &str, other: &str) -> bool {
    one.split(',').map(str::trim).eq(other.split(',').map(str::trim))
}
