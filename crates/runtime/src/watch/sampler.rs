//! A reading at a time: memory, whose it is, and the state of the card.
//!
//! The list of the command's processes is asked for only when the driver lists a process that was not there before. One
//! that is then not among them is looked at once more at the next reading, because the command may have started it and
//! seen it end in between.

use super::gauge::{Gauge, clause};
use super::readings::{Foreign, Passed, Point, Source, keeps_clocks_down};
use super::strays::Others;
use super::{Alarm, Baseline, Plan, View};
use crate::runtime::management::User;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use nvml_wrapper::error::NvmlError;
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// Drivers average the state of a card over longer than this.
const STATE_INTERVAL: Duration = Duration::from_millis(200);
/// So many failures in a row say that it is not the moment.
const FAILURES: u32 = 3;

pub(super) struct Sampler {
    gauge: Gauge,
    /// Bytes in use before the command.
    baseline: u64,
    /// Who computed on the card before the command.
    users: Vec<User>,
    plan: Plan,
    view: View,
    began: Instant,
    /// Whose the listed processes are.
    known: FxHashMap<u32, ProcessOwner>,
    others: Others,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProcessOwner {
    Ours,
    Foreign,
    /// Not the command's at the first look.
    Suspect,
    /// The driver counts processes in another way than this process sees them.
    Unknown,
}

/// What about the card is worth asking.
struct State {
    next: Duration,
    utilisation: Question,
    temperature: Question,
    power: Question,
    clock: Question,
    reasons: Question,
}

/// A question that is not asked any more when there is never an answer.
struct Question {
    what: &'static str,
    failures: u32,
}

/// Asked in the thread that samples.
pub(super) struct SamplerThread<O, A> {
    sampler: Sampler,
    ours: O,
    alarm: A,
    passed: bool,
}

impl Sampler {
    pub(super) fn new(gauge: Gauge, baseline: &Baseline, plan: Plan, view: View, began: Instant) -> Sampler {
        let users = baseline.users.clone().unwrap_or_default();
        let question = |what| Question { what, failures: 0 };
        let state = State {
            next: Duration::ZERO,
            utilisation: question("the utilisation"),
            temperature: question("the temperature"),
            power: question("the power"),
            clock: question("the clock"),
            reasons: question("what keeps the clocks down"),
        };
        let known = users.iter().map(|user| (user.pid, ProcessOwner::Foreign)).collect();
        Sampler {
            gauge,
            baseline: baseline.memory,
            users,
            plan,
            view,
            began,
            known,
            others: Others::default(),
            state,
        }
    }

    pub(super) fn asking<O: FnMut() -> Vec<u32>, A: FnMut(Alarm<'_>)>(
        self,
        ours: O,
        alarm: A,
    ) -> SamplerThread<O, A> {
        SamplerThread { sampler: self, ours, alarm, passed: false }
    }
}

impl<O: FnMut() -> Vec<u32>, A: FnMut(Alarm<'_>)> SamplerThread<O, A> {
    /// Until something comes from `stopped`, or the card is gone. `looked` is dropped as soon as it is known who was on the
    /// other cards before the command.
    pub(super) fn run(mut self, looked: Sender<()>, stopped: &Receiver<()>) {
        self.sampler.look_at_others();
        drop(looked);
        self.sampler.tell_earlier_users();
        let interval = self.sampler.plan.interval.max(Duration::from_millis(1));
        let mut next = Instant::now();
        loop {
            match self.sample() {
                Ok(()) => {}
                Err(error) => {
                    let mut readings = self.sampler.view.lock();
                    readings.failed += 1;
                    readings.note(format!("memory could not be read: {}", clause(&error)));
                    if matches!(error, NvmlError::GpuLost) {
                        readings.lost = true;
                        drop(readings);
                        self.last_look_at_others();
                        return;
                    }
                }
            }
            // A reading that is late is not made up for.
            next = (next + interval).max(Instant::now());
            if stopped.recv_timeout(next - Instant::now()) != Err(RecvTimeoutError::Timeout) {
                self.last_look_at_others();
                let uncorrected = self.sampler.gauge.uncorrected();
                self.sampler.view.lock().ecc_uncorrected = uncorrected;
                return;
            }
        }
    }

    /// Also at who was on the other cards only between two looks.
    fn last_look_at_others(&mut self) {
        let sampler = &mut self.sampler;
        let told = sampler.view.lock().strays.clone();
        let seconds = sampler.began.elapsed().as_secs_f64();
        let strays = sampler.others.traced(&sampler.gauge, &mut self.ours, &told, seconds);
        sampler.view.lock().strays.extend(strays);
    }

    /// First of all: nothing that cannot be read of its own card keeps this from being seen.
    fn look_for_strays(&mut self) {
        let sampler = &mut self.sampler;
        let seconds = sampler.began.elapsed().as_secs_f64();
        let strays = sampler.others.strays(&sampler.gauge, &mut self.ours, seconds);
        if !strays.is_empty() {
            sampler.view.lock().strays.extend(strays.iter().cloned());
            strays.iter().for_each(|stray| (self.alarm)(Alarm::Stray(stray)));
        }
        // The driver is asked before the view is taken, for it may hang.
        let forbidden = sampler.others.look_at_forbidden(&sampler.gauge);
        let told = &mut sampler.view.lock().forbidden_cards;
        told.iter_mut().zip(forbidden).for_each(|(card, look)| card.add(seconds, look));
    }

    fn sample(&mut self) -> Result<(), NvmlError> {
        self.look_for_strays();
        let sampler = &mut self.sampler;
        let elapsed = sampler.began.elapsed();
        let memory = sampler.gauge.used()?;
        let growth = memory.saturating_sub(sampler.baseline);
        let of_processes = match sampler.gauge.users() {
            Ok(users) => sampler.memory_of_ours(&users, &mut self.ours, elapsed),
            Err(error) => {
                let reason = clause(&error);
                sampler.view.lock().note(format!("who computes on the card is not known: {reason}"));
                None
            }
        };
        let (used, source) = match of_processes {
            Some(used) => (used, Source::Processes),
            None => (growth, Source::CardGrowth),
        };
        let mut point = Point { seconds: elapsed.as_secs_f64(), memory, ..Point::default() };
        point.command_memory = Some(used);
        let reasons = sampler.state_of_card(elapsed, &mut point);
        let mut readings = sampler.view.lock();
        readings.add(point, Some(source));
        if let Some(reasons) = reasons {
            readings.add_reasons(reasons);
        }
        if let Some(allowed) = sampler.plan.max_memory.filter(|allowed| used > *allowed)
            && !self.passed
        {
            self.passed = true;
            readings.passed = Some(Passed { allowed, used, seconds: elapsed.as_secs_f64() });
            // Whoever is called may want to read.
            drop(readings);
            (self.alarm)(Alarm::Memory(used));
        }
        Ok(())
    }
}

impl Sampler {
    fn look_at_others(&mut self) {
        let view = &self.view;
        self.others = Others::before(&self.gauge, &self.plan.forbidden, &mut |note| view.lock().note(note));
        view.lock().forbidden_cards = self.others.forbidden_cards(&self.gauge, self.plan.points);
    }

    fn tell_earlier_users(&mut self) {
        for User { pid, memory } in std::mem::take(&mut self.users) {
            let foreign = Foreign { pid, name: self.gauge.name_of(pid), memory, before: true, seconds: 0.0 };
            self.view.lock().foreign_processes.push(foreign);
        }
    }

    /// Bytes of the command's processes, if the driver tells.
    fn memory_of_ours(
        &mut self,
        users: &[User],
        ours: &mut impl FnMut() -> Vec<u32>,
        elapsed: Duration,
    ) -> Option<u64> {
        self.known.retain(|pid, _| users.iter().any(|user| user.pid == *pid));
        let is_settled = |user: &User| {
            self.known.get(&user.pid).is_some_and(|whose| !matches!(whose, ProcessOwner::Suspect))
        };
        if !users.iter().all(is_settled) {
            let ours = ours();
            for user in users {
                self.settle(user, &ours, elapsed);
            }
        }
        let mut sum = Some(0);
        for user in users {
            // A process with a context holds something, so 0 is a driver that does not know.
            let memory = user.memory.filter(|bytes| *bytes > 0);
            match self.known.get(&user.pid) {
                Some(ProcessOwner::Ours) => sum = sum.zip(memory).map(|(sum, memory)| sum + memory),
                Some(ProcessOwner::Unknown) => sum = None,
                Some(ProcessOwner::Foreign) => self.grow(user.pid, memory),
                Some(ProcessOwner::Suspect) | None => {}
            }
        }
        if sum.is_none() {
            self.view.lock().note(
                "the driver does not tell how much memory each process of the command has, so the growth of the whole card \
                 stands for it"
                    .to_owned(),
            );
        }
        sum
    }

    fn settle(&mut self, user: &User, ours: &[u32], elapsed: Duration) {
        let whose = match self.known.get(&user.pid) {
            Some(ProcessOwner::Suspect) | None if ours.contains(&user.pid) => ProcessOwner::Ours,
            None => ProcessOwner::Suspect,
            Some(ProcessOwner::Suspect) if exists(user.pid) => ProcessOwner::Foreign,
            Some(ProcessOwner::Suspect) => ProcessOwner::Unknown,
            Some(_) => return,
        };
        self.known.insert(user.pid, whose);
        match whose {
            ProcessOwner::Foreign => {
                let (pid, name) = (user.pid, self.gauge.name_of(user.pid));
                let seconds = elapsed.as_secs_f64();
                let foreign = Foreign { pid, name, memory: user.memory, before: false, seconds };
                self.view.lock().foreign_processes.push(foreign);
            }
            ProcessOwner::Unknown => self.view.lock().note(
                "the driver lists processes by numbers that do not exist here, as in a container without --pid=host: it is \
                 not known whose they are"
                    .to_owned(),
            ),
            ProcessOwner::Ours | ProcessOwner::Suspect => {}
        }
    }

    fn grow(&self, pid: u32, memory: Option<u64>) {
        let mut readings = self.view.lock();
        // The last one of that number is the one that is there.
        if let Some(foreign) = readings.foreign_processes.iter_mut().rfind(|foreign| foreign.pid == pid) {
            foreign.memory = foreign.memory.max(memory);
        }
    }

    /// Adds what changes slowly to a point, and tells what keeps the clocks down, when it is time for it.
    fn state_of_card(&mut self, elapsed: Duration, point: &mut Point) -> Option<ThrottleReasons> {
        let (device, state, view) = (self.gauge.device, &mut self.state, &self.view);
        if elapsed < state.next {
            return None;
        }
        state.next = elapsed + STATE_INTERVAL.saturating_sub(self.plan.interval / 2);
        point.utilisation =
            state.utilisation.ask(view, || device.utilization_rates()).map(|rates| rates.gpu.into());
        point.temperature =
            state.temperature.ask(view, || device.temperature(TemperatureSensor::Gpu)).map(u64::from);
        point.power_milliwatts = state.power.ask(view, || device.power_usage()).map(u64::from);
        point.core_clock = state.clock.ask(view, || device.clock_info(Clock::SM)).map(u64::from);
        // New drivers may know reasons that have no name here; the others count nevertheless.
        let reasons = state.reasons.ask(view, || device.current_throttle_reasons());
        point.slowed = reasons.is_some_and(keeps_clocks_down);
        reasons
    }
}

impl Question {
    fn ask<T>(&mut self, view: &View, ask: impl FnOnce() -> Result<T, NvmlError>) -> Option<T> {
        if self.failures >= FAILURES {
            return None;
        }
        match ask() {
            Ok(answer) => {
                self.failures = 0;
                Some(answer)
            }
            Err(error) => {
                let is_final = matches!(error, NvmlError::NotSupported | NvmlError::FailedToLoadSymbol(_));
                self.failures = if is_final { FAILURES } else { self.failures + 1 };
                if self.failures >= FAILURES {
                    view.lock().note(format!("{} is not known: {}", self.what, clause(&error)));
                }
                None
            }
        }
    }
}

/// Whether there is a process of that number for this one.
fn exists(pid: u32) -> bool {
    !cfg!(target_os = "linux") || Path::new("/proc").join(pid.to_string()).exists()
}
