//! Holds a rule against a trace: which events it finds there, and the finding that comes of each.

use super::Rule;
use super::at_import::AtImports;
use super::conditions::{Verdict, happened};
use super::events_by_kind::EventsByKind;
use super::lifetimes::keeps_its_share;
use super::places::Places;
use super::schema::{EventSelector, FindingPlace};
use super::wording::Words;
use crate::code::{Host, Observation};
use crate::facts::{FileId, Place, Span};
use crate::findings::{Audience, Confidence, Finding, Severity};
use crate::policy::{Cpu, Policy};
use crate::program::trace::{Event, EventId, EventKind, Trace};
use crate::program::{Definition, Program, Start};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{OnceCell, RefCell};
use std::collections::hash_map::Entry;

/// What a rule is held against.
pub struct Scope<'a> {
    /// All files of the run.
    pub program: &'a Program<'a>,
    /// What the team wrote down.
    pub policy: &'a Policy,
    /// The section in force for the CPU part.
    pub cpu: Option<&'a Cpu>,
    /// What happens, in order.
    pub trace: &'a Trace,
    /// What the trace follows.
    pub kind: ScopeKind,
    by_kind: EventsByKind,
    /// Whether the program checks which GPU it got, once somebody asked.
    validated: OnceCell<bool>,
    /// Whether the program wants one GPU of several, by its name or its memory.
    tells_apart: OnceCell<bool>,
    /// The events that give memory back.
    releases: OnceCell<Vec<EventId>>,
    /// Whether the program chooses the CPU where there is no GPU, once somebody asked.
    pub(super) cpu_choice: OnceCell<Vec<FileId>>,
    /// The events that take a GPU while none was taken yet for sure, once somebody asked.
    pub(super) first_uses: OnceCell<Vec<EventId>>,
    /// The calls that make a GPU the current one, once somebody asked.
    pub(super) choices: OnceCell<Vec<EventId>>,
    /// The events by which a process takes the GPU with its own number, once somebody asked.
    pub(super) own_numbers: OnceCell<Vec<EventId>>,
    /// Whether the program makes a group of processes, once somebody asked.
    pub(super) makes_group: OnceCell<bool>,
    /// The expressions of a file that run in a group of processes alone, of the files that were asked about.
    pub(super) for_group: RefCell<FxHashMap<FileId, FxHashSet<Span>>>,
    /// The writes of each variable, in order, once somebody asked.
    pub(super) writes: OnceCell<FxHashMap<&'a str, Vec<EventId>>>,
    /// How each event comes from the import of a module, once somebody asked.
    at_imports: OnceCell<AtImports>,
}

/// What kind of code a trace follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// An entry point, from its start.
    Program,
    /// A file whose functions nobody was seen to call.
    Library,
    /// The import of the modules that must run without a GPU.
    CpuPart,
    /// The import of the modules that no program imports.
    Modules,
    /// A script, job or service that starts programs.
    Launcher,
}

impl ScopeKind {
    pub fn of(start: Start) -> ScopeKind {
        match start {
            Start::Library => ScopeKind::Library,
            Start::CpuPart => ScopeKind::CpuPart,
            Start::Modules => ScopeKind::Modules,
            Start::Unit(_) => ScopeKind::Launcher,
            _ => ScopeKind::Program,
        }
    }
}

/// The findings of one rule in one trace, in files that are reported: of those in other files one may be there that
/// stands for all.
pub fn findings_of(rule: &Rule, severity: Severity, scope: &Scope<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut told = FxHashSet::default();
    let mut known: FxHashMap<(Place, Severity, Confidence), usize> = FxHashMap::default();
    for &id in scope.by_kind.for_rule(&rule.find).iter() {
        let event = &scope.trace.events[id as usize];
        // Where the finding can only stand in a file that nobody asked about, it is not looked for.
        let can_be_asked = rule.at != FindingPlace::Event || rule.once || scope.is_judged(event.place.file);
        if !can_be_asked || !scope.matches(rule, id, event) {
            continue;
        }
        let mut verdict = Verdict::default();
        let holds = |condition| scope.holds(condition, id, event, &mut verdict);
        if !rule.when.iter().all(holds) {
            continue;
        }
        let places = scope.places(rule, id, event, &verdict);
        if !rule.once && !scope.is_judged(places.finding.file) {
            continue;
        }
        if rule.reads(scope.program.language_at(places.finding)) {
            if scope.cause(rule, event, &places).is_some_and(|cause| !told.insert(cause)) {
                continue;
            }
            let judgement = scope.judgement(rule, severity, id, event, &verdict, &places);
            // Of several that say the same at one place the first is told, and only that one is put into words.
            match known.entry((places.finding, judgement.severity, judgement.confidence)) {
                Entry::Occupied(first) => judgement.join_into(&mut findings[*first.get()]),
                Entry::Vacant(new) => {
                    new.insert(findings.len());
                    findings.push(scope.finding(rule, id, event, &verdict, places, judgement));
                }
            }
        }
    }
    if rule.once {
        // The one that says most about the program; among equals the first.
        let best = findings.into_iter().rev().max_by_key(|finding| finding.severity);
        return best.into_iter().collect();
    }
    findings
}

impl<'a> Scope<'a> {
    /// One trace of a program, under a policy.
    pub fn new(
        program: &'a Program<'a>,
        (policy, cpu): (&'a Policy, Option<&'a Cpu>),
        trace: &'a Trace,
        kind: ScopeKind,
    ) -> Scope<'a> {
        Scope {
            program,
            policy,
            cpu,
            trace,
            kind,
            by_kind: EventsByKind::of(&trace.events),
            validated: OnceCell::new(),
            tells_apart: OnceCell::new(),
            releases: OnceCell::new(),
            first_uses: OnceCell::new(),
            cpu_choice: OnceCell::new(),
            choices: OnceCell::new(),
            own_numbers: OnceCell::new(),
            makes_group: OnceCell::new(),
            for_group: RefCell::default(),
            writes: OnceCell::new(),
            at_imports: OnceCell::new(),
        }
    }

    /// Whether the program checks which GPU it got.
    pub(super) fn is_validated(&self) -> bool {
        *self.validated.get_or_init(|| self.has_validation())
    }

    /// Whether the program stops on another GPU than the one it wants.
    pub(super) fn asserts_gpu(&self) -> bool {
        *self.tells_apart.get_or_init(|| self.tells_gpus_apart())
    }

    /// What gives memory back behind an event.
    pub(super) fn later_releases(&self, id: EventId) -> impl Iterator<Item = &Event> {
        let events = &self.trace.events;
        let all = self.releases.get_or_init(|| {
            (0..events.len() as EventId).filter(|&id| events[id as usize].what.releases()).collect()
        });
        let behind = all.partition_point(|&release| release <= id);
        all[behind..].iter().map(|&release| &events[release as usize])
    }

    /// How each event comes from the import of a module.
    pub(super) fn at_imports(&self) -> &AtImports {
        self.at_imports.get_or_init(|| AtImports::of(self))
    }
}

impl Scope<'_> {
    /// Whether what is found in a file is wanted: what a program of a reported file shows in another one is at least named.
    pub fn is_judged(&self, file: FileId) -> bool {
        let is_judged = |file| self.program.is_judged(file);
        is_judged(file) || self.kind == ScopeKind::Program && self.trace.entry.is_some_and(is_judged)
    }

    /// What several events are told once for: the first of the statements of one file that lead to one late write, and
    /// the first of the GPUs that one line names for one statement, as in `devices=[0, 1, 2]`.
    fn cause(&self, rule: &Rule, event: &Event, places: &Places<'_>) -> Option<(FileId, Place, usize)> {
        let file = places.finding.file;
        if rule.at == FindingPlace::WrongOrder && places.finding != event.place {
            return Some((file, event.place, 0));
        }
        let chosen = matches!(event.what, EventKind::Select { .. });
        chosen.then(|| (file, event.statement, self.program.sources.position(places.finding).line as usize))
    }

    pub(super) fn matches(&self, rule: &Rule, id: EventId, event: &Event) -> bool {
        let Some(wanted) = rule.find.event else { return false };
        let kind = match self.kind {
            ScopeKind::Library if rule.find.also_uncalled => ScopeKind::Program,
            kind => kind,
        };
        if let EventKind::Observed { what, .. } = &event.what
            && rule.find.or_observed.contains(what)
        {
            return true;
        }
        match (wanted, kind) {
            (EventSelector::GpuUse, ScopeKind::Program) => self.is_first_use(id, event),
            (EventSelector::GpuUse | EventSelector::GpuChoice, ScopeKind::Launcher) => {
                event.what.takes_gpu() || self.is_handed_on(&rule.find.launches_without, id, event)
            }
            (EventSelector::GpuLoad, ScopeKind::Program) => event.what.loads() && !self.trace.own_uses_only,
            (EventSelector::LoadBeforeOwnGpu, ScopeKind::Program) => {
                !self.trace.own_uses_only && self.loads_before_own_gpu(id, event)
            }
            (EventSelector::TestLoad, ScopeKind::Program) => {
                event.what.loads()
                    && (self.is_decided(rule) || !keeps_its_share(event))
                    && !event.in_child
                    && !self.trace.own_uses_only
                    && self.trace.test_of(event).is_some()
                    && !self.is_set_up_again(id, event)
            }
            (EventSelector::GpuChoice, ScopeKind::Program) => {
                self.is_first_import(event) || self.reads_mask(event) || self.takes_late_choice(id, event)
            }
            (EventSelector::Write, ScopeKind::Program | ScopeKind::Launcher) => match &event.what {
                EventKind::Write { variable, .. } => {
                    rule.find.variables.is_empty() || rule.find.variables.contains(variable)
                }
                _ => false,
            },
            (EventSelector::RefusedWrite, ScopeKind::Program | ScopeKind::Launcher) => {
                matches!(event.what, EventKind::Refuse { given, .. } if given != "None" || !self.may_be_filled(event))
            }
            (EventSelector::SelectDevice, ScopeKind::Program | ScopeKind::Library | ScopeKind::Launcher) => {
                matches!(event.what, EventKind::Select { index: Some(_), .. })
            }
            (EventSelector::SpreadOverDevices, ScopeKind::Program) => {
                matches!(event.what, EventKind::Select { index: None, .. })
            }
            (EventSelector::ForbiddenImport, ScopeKind::CpuPart) => match (&event.what, self.cpu) {
                (EventKind::Import { module, .. }, Some(cpu)) => {
                    let importer = self.program.dotted(event.place.file);
                    cpu.forbids(module).is_some() && !cpu.is_gpu_module(&importer)
                }
                _ => false,
            },
            (
                EventSelector::QueryAtImport
                | EventSelector::ObjectAtImport
                | EventSelector::CallAtDefinition,
                ScopeKind::Program | ScopeKind::CpuPart | ScopeKind::Modules,
            ) => self.is_at_import(wanted, id, event),
            (EventSelector::Spawn, ScopeKind::Program) => matches!(event.what, EventKind::Spawn { .. }),
            (EventSelector::Observed, ScopeKind::Launcher | ScopeKind::Program | ScopeKind::Library) => {
                matches!(event.what, EventKind::Observed { what, .. } if Some(what) == rule.find.observed)
            }
            (EventSelector::InitialisingImport, ScopeKind::Program | ScopeKind::CpuPart) => {
                matches!(event.what, EventKind::Import { touches_cuda: true, .. })
            }
            (EventSelector::ReachedImport, ScopeKind::CpuPart) => match (&event.what, self.cpu) {
                (EventKind::Import { module, brings, .. }, Some(cpu)) => {
                    let importer = self.program.dotted(event.place.file);
                    let own = cpu.forbids(module).is_some() || cpu.is_gpu_module(&importer);
                    !brings.is_empty() && !own
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a launcher hands its environment on here, to a program that does not set the variable itself or to
    /// whoever reads the file.
    fn is_handed_on(&self, variable: &Option<String>, id: EventId, event: &Event) -> bool {
        let Some(variable) = variable else { return false };
        // Without a mask there is nothing to hand on.
        let mut mask = event.before.mask.iter();
        if !mask.any(|mask| matches!(mask, Definition::Set(..))) {
            return false;
        }
        match &event.what {
            EventKind::Launch { targets, .. } => {
                !targets.iter().any(|&file| self.program.sets_itself(file, variable))
            }
            EventKind::End => {
                let earlier = &self.trace.events[..id as usize];
                let mut started =
                    earlier.iter().filter(|event| matches!(event.what, EventKind::Launch { .. }));
                !started.any(|start| start.before.mask == event.before.mask) && !self.serves_client()
            }
            _ => false,
        }
    }

    /// Whether a mask of the launcher is for a client, as far as it is for anything.
    fn serves_client(&self) -> bool {
        let is_client = |event: &Event| {
            matches!(event.what, EventKind::Observed { what: Observation::MaskForClient, .. })
        };
        self.trace.events.iter().any(is_client)
    }

    /// How serious and how sure a finding is.
    fn judgement(
        &self,
        rule: &Rule,
        severity: Severity,
        id: EventId,
        event: &Event,
        verdict: &Verdict,
        places: &Places<'_>,
    ) -> Judgement {
        let order_is_certain = rule
            .when
            .iter()
            .filter_map(|condition| condition.after)
            .all(|earlier| happened(event, earlier).is_some_and(|happened| happened.certain));
        let sure = event.certain && order_is_certain && !verdict.on_some_paths && !verdict.unsure;
        let severity = self.severity_at(rule, severity, places.finding.file);
        let severity = verdict.at_most.map_or(severity, |most| severity.min(most));
        let severity = match rule.container_severity {
            Some(most) if self.trace.counts_from_zero(event) => severity.min(most),
            _ => severity,
        };
        let severity = match rule.machine_severity {
            Some(most) if self.trace.host == Host::Machine => severity.min(most),
            _ => severity,
        };
        let far = self.is_far(event, places.entry);
        let weak = verdict.on_some_paths || far;
        let confidence = match (sure, far) {
            (true, _) => rule.confidence,
            (_, true) => Confidence::Low,
            _ => rule.confidence.min(Confidence::Medium),
        };
        let (speaks, most) = self.speaks(rule, id, event);
        let severity = most.map_or(severity, |most| severity.min(most));
        let severity = if weak { lower(severity) } else { severity };
        Judgement { severity, confidence, speaks, mask: self.mask_at(event) }
    }

    fn finding(
        &self,
        rule: &Rule,
        id: EventId,
        event: &Event,
        verdict: &Verdict,
        Places { definition, finding: place, .. }: Places<'_>,
        Judgement { severity, confidence, speaks, mask }: Judgement,
    ) -> Finding {
        let words = Words {
            event,
            test: self.trace.test_of(event).and_then(|frame| frame.function.as_deref()),
            in_cpu_part: self.kind == ScopeKind::CpuPart,
            position: self.at_imports().of_event(id).map(|import| import.position.in_words()),
            in_force: verdict.definition.as_ref().map(|(_, value)| value.as_str()),
            fault: verdict.fault.as_ref(),
            policy: self.policy,
            known: &self.program.knowledge.variables,
            placed_softly: self.is_placed_softly(event),
            cuda: event.before.cuda.map(|happened| self.trace.event(happened.event)),
            library: event.before.library.map(|happened| self.trace.event(happened.event)),
        };
        let leads_on = match rule.at {
            FindingPlace::Event | FindingPlace::Writer => false,
            FindingPlace::WrongOrder => place != event.place,
            FindingPlace::Definition => definition.is_none(),
            FindingPlace::Entry | FindingPlace::Test | FindingPlace::Module => true,
        };
        let start = leads_on.then_some(place);
        let mut related = Vec::new();
        for wanted in &rule.related {
            self.relate(*wanted, id, definition.unwrap_or(event), start, &words, &mut related);
        }
        related.retain(|known| known.place != place);
        let said = rule.without_policy.as_ref().filter(|_| !self.is_decided(rule));
        let template = said.map_or(&rule.message, |said| &said.message);
        let message = words.fill(template);
        Finding {
            confidence,
            values: words.values(template),
            advice: said.map(|said| &said.advice).or(rule.advice.as_ref()).map(|advice| words.fill(advice)),
            related,
            mask,
            speaks,
            ..Finding::new((&rule.id, &rule.family), severity, place, message)
        }
    }

    /// Far from the file that is started, and behind conditions that are not understood: true of some
    /// program, and hardly of this one. One condition is far behind many hops, two behind any.
    fn is_far(&self, event: &Event, entry: FileId) -> bool {
        const MANY: usize = 4;
        let elsewhere = self.kind == ScopeKind::Program && event.place.file != entry;
        let hops = self.trace.outwards(event.frame).count() - 1;
        elsewhere && (event.doubts > 1 || (event.doubts == 1 && hops > MANY))
    }

    /// A module that others import is judged less strictly when no policy says otherwise.
    fn severity_at(&self, rule: &Rule, severity: Severity, file: FileId) -> Severity {
        match rule.library_severity {
            Some(library) if self.policy.gpu.is_none() && self.program.start_of(file).is_none() => library,
            _ => severity,
        }
    }
}

/// How serious and how sure a finding is, for whom it speaks, and the mask that was in force.
struct Judgement {
    severity: Severity,
    confidence: Confidence,
    speaks: Audience,
    mask: Option<String>,
}

impl Judgement {
    /// The same was found before at this place: what differs between the two is told of neither.
    fn join_into(self, first: &mut Finding) {
        if first.mask != self.mask {
            first.mask = None;
        }
        if self.speaks == Audience::ForItself {
            first.speaks = Audience::ForItself;
        }
    }
}

fn lower(severity: Severity) -> Severity {
    match severity {
        Severity::Error => Severity::Warning,
        Severity::Warning | Severity::Note => Severity::Note,
    }
}
