//! Whether the conditions of a rule hold at an event.

use super::evaluate::{Scope, ScopeKind};
use super::files::FileScope;
use super::schema::{Condition, EarlierEvent, EarlyRead, InForce, PolicyKey, VariableKind};
use super::values::{is_template, selects_by_integer};
use crate::allocator;
use crate::code::Host;
use crate::facts::{FileId, Span};
use crate::findings::Severity;
use crate::policy::{Gpu, Policy};
use crate::program::trace::{Choice, Event, EventId, EventKind, NOT_NOTED, Recipient};
use crate::program::{Definition, FirstOccurrence, MASK, ORDER, Program, Reaching};
use crate::sources::Language;
use crate::versions::Range;
use rustc_hash::FxHashMap;

/// No machine has a device with this index or a higher one: it was written because it is not there.
pub(super) const NO_DEVICE: i64 = 64;

/// What conditions found out about an event.
#[derive(Default)]
pub(super) struct Verdict {
    /// Holds on some paths to the event only.
    pub on_some_paths: bool,
    /// The write whose value is in force, with that value.
    pub definition: Option<(EventId, String)>,
    /// What is wrong with the value, and what is wanted in its place.
    pub fault: Option<(String, String)>,
    /// It rests on something that is not certain.
    pub unsure: bool,
    /// The least severe that a condition asked for.
    pub at_most: Option<Severity>,
}

impl Scope<'_> {
    pub(super) fn holds(
        &self,
        condition: &Condition,
        id: EventId,
        event: &Event,
        verdict: &mut Verdict,
    ) -> bool {
        // Every word that is given must hold; one that is not given holds. What costs least is asked first.
        let is =
            |wanted: Option<bool>, found: &dyn Fn() -> bool| wanted.is_none_or(|wanted| wanted == found());
        let variable = condition.variable.is_none_or(|kind| self.variable_is(kind, event))
            && (condition.named.is_empty() || condition.named.iter().any(|name| sets(event, name)));
        let language = || self.program.language_at(event.place).name();
        let fits = variable
            && condition.policy.is_none_or(|key| key.is_in(self.policy))
            && condition.after.is_none_or(|earlier| happened(event, earlier).is_some())
            && condition.observed.is_none_or(
                |wanted| matches!(event.what, EventKind::Observed { what, .. } if what == wanted),
            )
            && (condition.language.is_empty() || condition.language.iter().any(|name| name == language()))
            && is(condition.certain, &|| event.certain)
            && is(condition.counted, &|| event.before.counted)
            && is(condition.passing, &|| event.what.only_passes())
            && is(condition.handed_on, &|| matches!(event.what, EventKind::Launch { .. } | EventKind::End))
            && is(condition.own_runner, &|| self.trace.host == Host::Runner)
            && is(condition.without_gpu, &|| self.trace.host == Host::BareContainer)
            && is(condition.rival_set, &|| event.before.rival.is_some())
            && is(condition.cpu_part, &|| self.kind == ScopeKind::CpuPart)
            && is(condition.writes_mask, &|| {
                matches!(event.what, EventKind::Select { choice: Choice::Masked, .. })
            })
            && condition.new_value_since.is_none_or(|earlier| self.is_new_value(event, earlier))
            && is(condition.device_differs, &|| self.device_differs(event))
            && is(condition.device_taken, &|| {
                matches!(event.what, EventKind::Select { choice: Choice::Taken | Choice::Masked, .. })
                    && !self.is_tried(event)
                    && !self.is_test_data(event)
            })
            && is(condition.outside_mask, &|| {
                self.left_by_mask(event)
                    .is_some_and(|(left, index)| (left > 0 || event.certain) && index >= left)
            })
            && is(condition.inside_mask, &|| self.may_be_inside_mask(event))
            && is(condition.placed_softly, &|| self.is_placed_softly(event))
            && is(condition.named_for_several, &|| self.is_named_for_several(event))
            && is(condition.for_child, &|| self.is_for_child(id))
            && is(condition.for_test, &|| self.is_for_test(id))
            && is(condition.led_by_test, &|| self.is_led_by_test(event))
            && is(condition.told_by_call, &|| self.is_told_by_call(event))
            && is(condition.disarming, &|| self.is_disarming(event))
            && is(condition.in_one_test, &|| self.is_in_one_test(event))
            && is(condition.released, &|| self.is_released(id))
            && is(condition.outlives_test, &|| self.outlives_test(event))
            && is(condition.validated, &|| self.is_validated())
            && is(condition.asserts_gpu, &|| self.asserts_gpu())
            && is(condition.counts_anew, &|| self.trace.counts_from_zero(event))
            && is(condition.whole_machine, &|| self.takes_whole_machine(event))
            && is(condition.despite_cpu_choice, &|| self.needs_gpu_despite_choice(event))
            && is(condition.by_rank, &|| self.is_by_rank(id, event))
            && is(condition.ranks_choose, &|| self.gives_ranks_cards())
            && is(condition.uses_gpu, &|| self.uses_gpu())
            && is(condition.allocator_missing, &|| self.allocator_is_missing(event))
            && is(condition.overrides_launcher, &|| self.overrides_launcher(event))
            && is(condition.imported_later, &|| {
                self.trace.events[id as usize..].iter().any(|event| event.what.imports_gpu_library())
            })
            && is(condition.among_tests, &|| self.is_among_tests(id))
            && is(condition.for_board, &|| self.is_for_board())
            && is(condition.for_colab, &|| self.is_for_colab())
            && is(condition.for_cpu_of_colab, &|| self.is_for_cpu_of_colab(event))
            && condition.never_later.as_deref().is_none_or(|name| !self.is_set_later(id, event, name));
        let holds = fits
            && condition.unset.as_deref().is_none_or(|name| self.is_unset(event, name, verdict))
            && condition.removed.as_deref().is_none_or(|name| is_removed(event, name, verdict))
            && condition.value.as_ref().is_none_or(|wanted| self.is_written(wanted, event, verdict))
            && condition.in_force.as_ref().is_none_or(|wanted| self.is_in_force(wanted, event, verdict))
            && condition.too_late.is_none_or(|wanted| is_too_late(wanted, event, verdict))
            && condition.rival_differs.is_none_or(|wanted| self.rival_differs(event, verdict) == wanted)
            && condition
                .ignores_given_mask
                .is_none_or(|wanted| self.ignores_given_mask(event, verdict) == wanted)
            && condition.forked_use.is_none_or(|wanted| self.uses_forked(id, event, verdict) == wanted)
            && condition.not.as_ref().is_none_or(|not| !self.holds(not, id, event, &mut Verdict::default()))
            // Asked last: files may have to be read for the answer.
            && condition.versions_fit(self.program, event.place.file)
            && (condition.any.is_empty()
                || condition.any.iter().any(|inner| self.holds(inner, id, event, verdict)))
            && condition.all.iter().all(|inner| self.holds(inner, id, event, verdict));
        if let Some(most) = condition.at_most.filter(|_| holds) {
            verdict.at_most = Some(verdict.at_most.map_or(most, |known| known.min(most)));
        }
        holds
    }

    /// Whether a value that is in force at the event is the wanted one.
    fn is_in_force(&self, wanted: &InForce, event: &Event, verdict: &mut Verdict) -> bool {
        let Some((definition, only)) = self.value_in_force(wanted, event) else { return false };
        verdict.definition = Some(definition);
        verdict.on_some_paths |= !only;
        true
    }

    /// Whether a child of a fork uses what was made before it.
    fn uses_forked(&self, id: EventId, event: &Event, verdict: &mut Verdict) -> bool {
        let Some((used, certain)) = self.forked_use(id, event) else { return false };
        verdict.definition = Some((used, String::new()));
        verdict.on_some_paths |= !certain && event.doubts > 1;
        true
    }

    /// Whether another name of the same setting holds something else.
    fn rival_differs(&self, event: &Event, verdict: &mut Verdict) -> bool {
        let EventKind::Write { value: Some(value), .. } = &event.what else { return false };
        let Some((write, rival)) = &event.before.rival else { return false };
        let differs = !is_template(value) && !is_template(rival) && !allocator::says_the_same(value, rival);
        if differs {
            verdict.definition = Some((*write, rival.to_string()));
        }
        differs
    }

    fn variable_is(&self, kind: VariableKind, event: &Event) -> bool {
        let EventKind::Write { variable, .. } = &event.what else { return false };
        let known = &self.program.knowledge.variables;
        match kind {
            VariableKind::Misspelt => {
                known.near(variable).is_some() && !self.program.reads_variable(variable)
            }
            VariableKind::Dead => {
                known.get(variable).is_some_and(|row| row.is_dead()) && !self.program.reads_variable(variable)
            }
        }
    }

    fn is_unset(&self, event: &Event, variable: &str, verdict: &mut Verdict) -> bool {
        let reaching = reaching(event, variable);
        let is_unset = |definition: &&Definition| {
            matches!(definition, Definition::Unset | Definition::Removed(NOT_NOTED))
        };
        let unset = reaching.iter().filter(is_unset).count();
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
    fn writes_of(&self, variable: &str) -> impl Iterator<Item = (EventId, &Event)> {
        let by_name = self.writes.get_or_init(|| {
            let mut by_name: FxHashMap<&str, Vec<EventId>> = FxHashMap::default();
            for &write in &self.trace.writes {
                if let EventKind::Write { variable, .. } = &self.trace.event(write).what {
                    by_name.entry(variable).or_default().push(write);
                }
            }
            by_name
        });
        let writes = by_name.get(variable).map_or(&[][..], Vec::as_slice);
        writes.iter().map(|&write| (write, self.trace.event(write)))
    }

    /// Whether the images of the project are those for Jetson, whose boards have one GPU.
    fn is_for_board(&self) -> bool {
        const OTHERS: &[&str] = &["nvidia/cuda:", "pytorch/pytorch:", "nvcr.io/nvidia/"];
        let is_image = |file: FileId| self.program.sources.file(file).language == Language::Dockerfile;
        let boards = self.program.files_with("/l4t-");
        let is_other = |&file: &FileId| is_image(file) && !boards.contains(&file);
        boards.iter().any(|&file| is_image(file))
            && !OTHERS.iter().any(|other| self.program.files_with(other).iter().any(is_other))
    }

    /// Whether the program is a notebook that Colab wrote: it says so in the metadata of the notebook.
    fn is_for_colab(&self) -> bool {
        self.trace.entry.is_some_and(|file| self.program.sources.file(file).is_of_colab())
    }

    /// Whether the program is a notebook that Colab wrote, and that asks it for no GPU. Who turns to a loader with pinned memory needs
    /// none: a call does.
    fn is_for_cpu_of_colab(&self, event: &Event) -> bool {
        self.trace.entry.is_some_and(|file| self.program.sources.file(file).is_for_cpu_of_colab())
            && self.program.text(event.place).contains('(')
            && !self.program.text(event.place).contains("iter(")
    }

    fn is_for_test(&self, id: EventId) -> bool {
        let event = self.trace.event(id);
        let EventKind::Write { variable, .. } = &event.what else { return false };
        // The next test has what was there before.
        let is_set = |later: &Event| {
            let set =
                |definition: &Definition| matches!(definition, Definition::Set(write, _) if *write == id);
            reaching(later, variable).iter().any(set)
        };
        let mut later = self.trace.events[id as usize + 1..].iter();
        (event.recipient == Recipient::Test || self.is_made_up_by_test(event))
            && !later.any(|later| {
                later.what.initialises_cuda() && is_set(later) && !self.trace.excludes(event, later)
            })
    }

    /// Whether the test that writes a value has written what it takes the place of.
    fn is_in_one_test(&self, event: &Event) -> bool {
        let frame = |event: &Event| self.trace.test_of(event).map(std::ptr::from_ref);
        let mut written = event.before.written.iter().filter_map(|definition| match definition {
            Definition::Set(write, _) => Some(self.trace.event(*write)),
            _ => None,
        });
        frame(event).is_some() && written.any(|write| frame(write) == frame(event))
    }

    pub(super) fn is_for_child(&self, id: EventId) -> bool {
        if self.trace.event(id).recipient == Recipient::Program {
            return true;
        }
        // All that a launcher sets is for what it starts.
        if self.trace.event(id).in_child || self.kind == ScopeKind::Launcher {
            return false;
        }
        let starts = |event: &Event| match event.what {
            EventKind::Launch { .. } => true,
            EventKind::Spawn { .. } => !event.in_child,
            _ => false,
        };
        let mut later = self.trace.events[id as usize + 1..].iter();
        let next = later.find(|event| starts(event) || (event.what.initialises_cuda() && !event.in_child));
        next.is_some_and(starts)
    }

    fn is_released(&self, id: EventId) -> bool {
        self.later_releases(id).any(|release| self.trace.assures(release, id))
    }

    /// Whether a launcher has to do with GPUs at all.
    fn uses_gpu(&self) -> bool {
        self.trace.events.iter().any(|event| match &event.what {
            EventKind::Write { variable, .. } => crate::program::is_gpu_variable(variable),
            EventKind::Launch { targets, .. } => targets.iter().any(|&file| self.program.uses_gpu(file)),
            EventKind::Observed { about_gpu, .. } => *about_gpu,
            what => what.initialises_cuda(),
        })
    }

    fn device_differs(&self, event: &Event) -> bool {
        let EventKind::Select { index: Some(index), ref by, .. } = event.what else { return false };
        // A negative one stands for the CPU.
        if !(0..NO_DEVICE).contains(&index) {
            return false;
        }
        if self.trace.takes_own_number(event) {
            return false;
        }
        match &self.policy.gpu {
            Some(gpu) => !gpu.allows(index, false) && !gpu.allows(index, self.has_number_of_process(event)),
            // Who starts the program has chosen, or how many processes there are: `for rank in range(1, size)`.
            None => {
                let is_counted =
                    || event.process == Some(index) && self.program.text(event.place).contains("range(");
                // A card apart for the engine beside the trainer is what trl asks for: `vllm_device: cuda:1`.
                let is_apart = by == "vllm_device";
                index != 0 && !is_apart && !self.trace.told.contains(&event.place) && !is_counted()
            }
        }
    }
}

impl PolicyKey {
    /// The key in words.
    pub(super) fn name(self) -> &'static str {
        match self {
            PolicyKey::Gpu => "gpu",
            PolicyKey::DeviceOrder => "gpu.device-order beside an integer in gpu.visible-devices",
            PolicyKey::VisibleDevices => "gpu.visible-devices",
            PolicyKey::AllocConf => "gpu.alloc-conf",
            PolicyKey::Validators => "scripts.validators",
        }
    }

    pub(super) fn is_in(self, policy: &Policy) -> bool {
        let in_gpu = |has: fn(&Gpu) -> bool| policy.gpu.as_ref().is_some_and(has);
        match self {
            PolicyKey::Validators => !policy.scripts.validators.is_empty(),
            PolicyKey::Gpu => policy.gpu.is_some(),
            PolicyKey::AllocConf => in_gpu(|gpu| gpu.alloc_conf.is_some()),
            PolicyKey::VisibleDevices => in_gpu(|gpu| !gpu.visible_devices.is_empty()),
            PolicyKey::DeviceOrder => in_gpu(|gpu| {
                gpu.device_order.is_some() && gpu.visible_devices.iter().any(|mask| selects_by_integer(mask))
            }),
        }
    }
}

impl Condition {
    /// Whether it holds at a place of a file; `more` says so of the words that are not about places.
    pub(super) fn holds_at(
        &self,
        span: Span,
        scope: &FileScope<'_>,
        more: &dyn Fn(&Condition) -> bool,
    ) -> bool {
        let holds = |inner: &Condition| inner.holds_at(span, scope, more);
        let language = || scope.program.language_at(scope.place(span)).name();
        more(self)
            && (self.language.is_empty() || self.language.iter().any(|name| name == language()))
            && self.policy.is_none_or(|key| key.is_in(scope.policy))
            && self.not.as_ref().is_none_or(|inner| !holds(inner))
            && (self.any.is_empty() || self.any.iter().any(holds))
            && self.all.iter().all(holds)
            // Asked last: files may have to be read for the answer.
            && self.versions_fit(scope.program, scope.file)
    }

    /// Whether the versions of packages that a file may run with are as the rule wants them.
    pub(super) fn versions_fit(&self, program: &Program<'_>, file: FileId) -> bool {
        let fits = |(package, wanted): (&String, &Range)| {
            program.versions().satisfies(program.name_of(file), package, wanted)
        };
        self.requires.iter().all(|one| fits(one) == Some(true))
            && self.may_be.iter().all(|one| fits(one) != Some(false))
            && self
                .supports
                .iter()
                .all(|(package, oldest)| program.versions().supports(program.name_of(file), package, oldest))
    }
}

fn is_too_late(wanted: EarlyRead, event: &Event, verdict: &mut Verdict) -> bool {
    let mut late = event.before.late.iter();
    match late.find(|late| late.part.is_some() == (wanted == EarlyRead::Part)) {
        Some(late) => {
            verdict.unsure |= !late.certain;
            true
        }
        None => false,
    }
}

fn is_removed(event: &Event, variable: &str, verdict: &mut Verdict) -> bool {
    let reaching = reaching(event, variable);
    let removal = reaching.iter().find_map(|definition| match definition {
        // What was removed before anything set it was never there for the program.
        Definition::Removed(removal) if *removal != NOT_NOTED => Some(*removal),
        _ => None,
    });
    verdict.definition = removal.map(|removal| (removal, String::new()));
    verdict.on_some_paths |= removal.is_some() && reaching.len() > 1;
    removal.is_some()
}

fn sets(event: &Event, variable: &str) -> bool {
    matches!(&event.what, EventKind::Write { variable: written, .. } if written == variable)
}

pub(super) fn reaching<'e>(event: &'e Event, variable: &str) -> &'e Reaching {
    match variable {
        MASK => &event.before.mask,
        ORDER => &event.before.order,
        _ => &event.before.written,
    }
}

pub(super) fn happened(event: &Event, earlier: EarlierEvent) -> Option<FirstOccurrence> {
    match earlier {
        EarlierEvent::CudaInit => event.before.cuda,
        EarlierEvent::GpuImport => event.before.library,
    }
}
