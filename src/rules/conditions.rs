//! Whether the conditions of a rule hold at an event.

use super::evaluate::{Scope, ScopeKind};
use super::schema::{Condition, Earlier, InForce, MaskFault, PolicyKey, Selects, VariableKind, Written};
use crate::code::Host;
use crate::masks::{self, Fault, Kind};
use crate::program::trace::{Event, EventId, NOT_NOTED, What};
use crate::program::{Definition, Happened, MASK, ORDER, Reaching};

/// What conditions found out about an event.
#[derive(Default)]
pub(super) struct Verdict {
    /// Holds on some paths to the event only.
    pub on_some_paths: bool,
    /// The write whose value is in force, with that value.
    pub definition: Option<(EventId, String)>,
}

impl Scope<'_> {
    pub(super) fn holds(
        &self,
        condition: &Condition,
        id: EventId,
        event: &Event,
        verdict: &mut Verdict,
    ) -> bool {
        // Every word that is given must hold; one that is not given holds.
        let unset = condition.unset.as_deref().is_none_or(|variable| self.is_unset(event, variable, verdict));
        let variable = condition.variable.is_none_or(|kind| self.variable_is(kind, event));
        let never_later =
            condition.never_later.as_deref().is_none_or(|variable| !self.is_set_later(id, event, variable));
        let removed =
            condition.removed.as_deref().is_none_or(|variable| is_removed(event, variable, verdict));
        let written = condition.value.as_ref().is_none_or(|wanted| self.is_written(wanted, event, verdict));
        let in_force =
            condition.in_force.as_ref().is_none_or(|wanted| match self.value_in_force(wanted, event) {
                Some((definition, only)) => {
                    verdict.definition = Some(definition);
                    verdict.on_some_paths |= !only;
                    true
                }
                None => false,
            });
        let order = condition.after.is_none_or(|earlier| happened(event, earlier).is_some())
            && condition.new_value_since.is_none_or(|earlier| self.is_new_value(event, earlier));
        let is =
            |wanted: Option<bool>, found: &dyn Fn() -> bool| wanted.is_none_or(|wanted| wanted == found());
        let device = is(condition.device_differs, &|| self.device_differs(event))
            && is(condition.outside_mask, &|| {
                self.left_by_mask(event)
                    .is_some_and(|(left, index)| (left > 0 || event.certain) && index >= left)
            })
            && is(condition.inside_mask, &|| {
                self.left_by_mask(event).is_some_and(|(left, index)| left > 1 && index < left)
            })
            && is(condition.counted, &|| event.before.counted)
            && is(condition.handed_on, &|| matches!(event.what, What::Launch { .. } | What::End));
        let child = is(condition.for_child, &|| self.is_for_child(id))
            && is(condition.released, &|| self.is_released(id))
            && is(condition.validated, &|| self.is_validated())
            && is(condition.own_runner, &|| self.trace.host == Host::Runner)
            && is(condition.uses_gpu, &|| self.uses_gpu())
            && (condition.language.is_empty()
                || condition
                    .language
                    .iter()
                    .any(|name| name == self.program.language_at(event.place).name()))
            && is(condition.cpu_part, &|| self.kind == ScopeKind::CpuPart);
        let forked = condition.forked_use.is_none_or(|wanted| {
            let found = self.forked_use(id, event);
            if let Some((used, certain)) = found {
                verdict.definition = Some((used, String::new()));
                verdict.on_some_paths |= !certain && event.doubts > 1;
            }
            wanted == found.is_some()
        });
        let policy = condition.policy.is_none_or(|key| self.has_policy(key));
        let not =
            condition.not.as_ref().is_none_or(|inner| !self.holds(inner, id, event, &mut Verdict::default()));
        unset
            && variable
            && removed
            && written
            && never_later
            && in_force
            && order
            && device
            && child
            && forked
            && policy
            && not
            && (condition.any.is_empty()
                || condition.any.iter().any(|inner| self.holds(inner, id, event, verdict)))
            && condition.all.iter().all(|inner| self.holds(inner, id, event, verdict))
    }

    fn variable_is(&self, kind: VariableKind, event: &Event) -> bool {
        let What::Write { variable, .. } = &event.what else { return false };
        let known = &self.program.knowledge.variables;
        match kind {
            VariableKind::Misspelt => {
                known.near(variable).is_some() && !self.program.reads_variable(variable)
            }
            VariableKind::Dead => known.get(variable).is_some_and(|row| row.is_dead()),
        }
    }

    fn is_unset(&self, event: &Event, variable: &str, verdict: &mut Verdict) -> bool {
        let reaching = reaching(event, variable);
        let unset = reaching.iter().filter(|definition| matches!(definition, Definition::Unset)).count();
        if unset == 0 {
            return false;
        }
        verdict.on_some_paths |= unset < reaching.len() || self.is_set_elsewhere(event, variable);
        true
    }

    /// Whether something that may follow the event sets the variable for this process.
    fn is_set_later(&self, id: EventId, event: &Event, variable: &str) -> bool {
        let follows = |write: EventId, later: &Event| {
            write > id && later.in_child == event.in_child && !self.trace.excludes(event, later)
        };
        self.writes_of(variable).any(|(write, later)| follows(write, later) && !self.is_for_child(write))
    }

    /// Whether the variable is set on a path that does not lead through the event.
    fn is_set_elsewhere(&self, event: &Event, variable: &str) -> bool {
        // Different tests are different programs, not branches of one.
        let test = |event: &Event| event.arms.first().filter(|(branch, _)| *branch == 0).copied();
        let mut others = self.writes_of(variable).filter(|(_, other)| test(other) == test(event));
        others.any(|(_, other)| self.trace.excludes(event, other))
    }

    /// The writes of a variable, in order.
    fn writes_of<'a>(&'a self, variable: &'a str) -> impl Iterator<Item = (EventId, &'a Event)> {
        let writes = self.trace.writes.iter().map(|&write| (write, self.trace.event(write)));
        writes.filter(move |(_, event)| sets(event, variable))
    }

    fn is_for_child(&self, id: EventId) -> bool {
        // All that a launcher sets is for what it starts.
        if self.trace.event(id).in_child || self.kind == ScopeKind::Launcher {
            return false;
        }
        let starts = |event: &Event| match event.what {
            What::Launch { .. } => true,
            What::Spawn { .. } => !event.in_child,
            _ => false,
        };
        let mut later = self.trace.events[id as usize + 1..].iter();
        let next = later.find(|event| starts(event) || (event.what.initialises_cuda() && !event.in_child));
        next.is_some_and(starts)
    }

    fn is_released(&self, id: EventId) -> bool {
        self.later_releases(id).any(|release| self.trace.assures(release, id))
    }

    /// What gives memory back behind an event.
    pub(super) fn later_releases(&self, id: EventId) -> impl Iterator<Item = &Event> {
        let later = self.trace.events[id as usize + 1..].iter();
        later.filter(|event| matches!(event.what, What::Release { .. }))
    }

    fn has_policy(&self, key: PolicyKey) -> bool {
        if key == PolicyKey::Validators {
            return !self.policy.scripts.validators.is_empty();
        }
        let Some(gpu) = &self.policy.gpu else { return false };
        match key {
            PolicyKey::Validators => false,
            PolicyKey::Gpu => true,
            PolicyKey::VisibleDevices => !gpu.visible_devices.is_empty(),
            PolicyKey::DeviceOrder => {
                gpu.device_order.is_some() && gpu.visible_devices.iter().any(|mask| selects_by_integer(mask))
            }
        }
    }

    /// A value in force that fits, with the write it comes from, and whether it is the only one.
    fn value_in_force(&self, wanted: &InForce, event: &Event) -> Option<((EventId, String), bool)> {
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
        let first = found.iter().find_map(|definition| match definition {
            // Values that an import sets have no event to point at.
            Definition::Set(write, Some(value))
                if *write != NOT_NOTED && fits(value) && !comes_with(*write) =>
            {
                Some((*write, value.to_string()))
            }
            _ => None,
        })?;
        let all = found
            .iter()
            .all(|definition| matches!(definition, Definition::Set(_, Some(value)) if fits(value)));
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

    fn is_written(&self, wanted: &Written, event: &Event, verdict: &mut Verdict) -> bool {
        let What::Write { value: Some(value), only_if_unset, .. } = &event.what else { return false };
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
                        && !self.was_handed_on(*write) =>
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

    /// Whether a launcher has to do with GPUs at all.
    fn uses_gpu(&self) -> bool {
        self.trace.events.iter().any(|event| match &event.what {
            What::Write { .. } => true,
            What::Launch { targets, .. } => targets.iter().any(|&file| self.program.uses_gpu(file)),
            What::Observed { about_gpu, .. } => *about_gpu,
            what => what.initialises_cuda(),
        })
    }

    /// Whether a launcher started a program while the value of this write was in force: the next one may get
    /// another card.
    fn was_handed_on(&self, write: EventId) -> bool {
        let has_it = |event: &Event| {
            let mut mask = event.before.mask.iter();
            mask.any(|definition| matches!(definition, Definition::Set(known, _) if *known == write))
        };
        let mut starts = self.trace.events.iter().filter(|event| matches!(event.what, What::Launch { .. }));
        self.kind == ScopeKind::Launcher && starts.any(has_it)
    }

    /// Whether a write takes a value that was not in force when the earlier thing happened.
    fn is_new_value(&self, event: &Event, earlier: Earlier) -> bool {
        let What::Write { variable, value, only_if_unset } = &event.what else { return false };
        let Some(happened) = happened(event, earlier) else { return false };
        if *only_if_unset && !event.before.written.iter().any(Definition::is_absent) {
            return false;
        }
        let then = reaching(self.trace.event(happened.event), variable);
        !then.iter().any(|definition| match definition {
            Definition::Set(_, Some(known)) => value
                .as_deref()
                .is_some_and(|value| value == &**known || (variable == MASK && same_mask(value, known))),
            // What the caller or an unknown update gave may be this very value.
            Definition::Elsewhere => true,
            _ => false,
        })
    }

    fn device_differs(&self, event: &Event) -> bool {
        let What::Select { index: Some(index), .. } = event.what else { return false };
        let allowed = self.policy.gpu.as_ref().map_or(Some(0), |gpu| gpu.allowed_device_index());
        allowed.is_some_and(|allowed| allowed != index)
    }

    /// How many GPUs the mask leaves, when every value that it may have leaves as many; and the index.
    fn left_by_mask(&self, event: &Event) -> Option<(i64, i64)> {
        let What::Select { index: Some(index), .. } = event.what else { return None };
        let mut counts = event.before.mask.iter().map(|definition| match definition {
            Definition::Set(_, Some(value)) => Some(masks::read(value).left as i64),
            _ => None,
        });
        let first = counts.next()??;
        counts.all(|count| count == Some(first)).then_some((first, index))
    }
}

impl MaskFault {
    fn is_in(self, value: &str) -> bool {
        // A template is filled in by somebody else.
        if value.contains(['$', '%', '{', '<']) {
            return false;
        }
        match masks::read(value).fault {
            Some(Fault::HidesAll | Fault::Repeated) => self == MaskFault::HidesAll,
            Some(Fault::CutShort) => self == MaskFault::CutShort,
            None => false,
        }
    }
}

fn is_removed(event: &Event, variable: &str, verdict: &mut Verdict) -> bool {
    let reaching = reaching(event, variable);
    let removal = reaching.iter().find_map(|definition| match definition {
        Definition::Removed(removal) => Some(*removal),
        _ => None,
    });
    verdict.definition = removal.map(|removal| (removal, String::new()));
    verdict.on_some_paths |= removal.is_some() && reaching.len() > 1;
    removal.is_some()
}

fn sets(event: &Event, variable: &str) -> bool {
    matches!(&event.what, What::Write { variable: written, .. } if written == variable)
}

pub(super) fn reaching<'e>(event: &'e Event, variable: &str) -> &'e Reaching {
    match variable {
        MASK => &event.before.mask,
        ORDER => &event.before.order,
        _ => &event.before.written,
    }
}

pub(super) fn happened(event: &Event, earlier: Earlier) -> Option<Happened> {
    match earlier {
        Earlier::CudaInit => event.before.cuda,
        Earlier::GpuImport => event.before.library,
    }
}

/// Whether quotes are a part of a value.
fn is_quoted(value: &str) -> bool {
    let between = |quote| value.len() > 1 && value.starts_with(quote) && value.ends_with(quote);
    between('"') || between('\'')
}

/// Whether a mask selects by index.
fn selects_by_integer(mask: &str) -> bool {
    masks::read(mask).kind == Kind::Index
}

/// `""` and `-1` say that the program uses no GPU.
fn hides_all(mask: &str) -> bool {
    masks::read(mask).kind == Kind::Nothing
}

/// Whether two masks select the same GPUs in the same order; blanks do not count.
fn same_mask(one: &str, other: &str) -> bool {
    one.split(',').map(str::trim).eq(other.split(',').map(str::trim))
}
