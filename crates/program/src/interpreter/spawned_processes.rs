//! Processes that a program starts of one function, each with its number as first argument:
//! `torch.multiprocessing.spawn(work, nprocs=2)`, and `Process(target=work, args=(rank,))` for each rank.

use super::calls::{Arg, Args};
use super::{Flow, Interpreter};
use crate::code::{Observation, Parameter};
use crate::facts::Span;
use crate::masks;
use crate::program::heap::values::{Closure, Value};
use crate::program::state::{Definition, MASK};
use crate::program::trace::{Event, EventKind};

/// So many of the processes are followed: the first ones, and the last one for all others.
const MOST: i64 = 4;

/// Of how many processes the numbers are known, and what says so.
struct Started {
    count: i64,
    /// As it is written: `nprocs=3`.
    text: String,
    span: Span,
}

impl<'p> Interpreter<'p> {
    /// Runs the function of each process that `torch.multiprocessing.spawn` starts. `false` for any other call.
    pub(super) fn run_spawned(&mut self, callee: &str, args: &Args<'p>, span: Span) -> bool {
        if !is_spawn(callee) {
            return false;
        }
        let worker = args.get(Some(0), Some("fn")).map(|argument| argument.value.clone());
        let Some(Value::Function(worker)) = worker else { return false };
        let more = match args.get(Some(1), Some("args")).map(|argument| argument.value.clone()) {
            None => Some(Vec::new()),
            Some(given) => self.whole_elements(&given),
        };
        let count = args.get(Some(2), Some("nprocs"));
        let started = match count.map(|argument| (&argument.value, argument.span)) {
            None if args.open => None,
            None => Some(Started { count: 1, text: "nprocs=1".to_owned(), span }),
            Some((Value::Int(count, _), span)) => {
                Some(Started { count: *count, text: format!("nprocs={count}"), span })
            }
            Some(_) => None,
        };
        // Of a number that is not known two stand for all: the second may not be there.
        let numbers: Vec<i64> = match &started {
            Some(started) if started.count > MOST => (0..MOST - 1).chain([started.count - 1]).collect(),
            Some(started) => (0..started.count).collect(),
            None => vec![0, 1],
        };
        let place = self.place(started.as_ref().map_or(span, |started| started.span));
        let first = self.trace.events.len();
        self.branches += 1;
        let branch = self.branches;
        for (arm, number) in numbers.into_iter().enumerate() {
            let may_be_missing = started.is_none() && number > 0;
            let own = Value::Int(number, place);
            let arguments = match &more {
                Some(more) => Args::positional([own].into_iter().chain(more.iter().cloned()).collect(), span),
                // What is not known may fill any other parameter.
                None => self.named_first(&worker, own, span),
            };
            // What one process does, no other one does.
            self.path.push((branch, arm as u32));
            self.uncertain += usize::from(may_be_missing);
            // A process that is there only if its number is reached has no GPU of a fixed number by that.
            let counted = self.count_devices(may_be_missing);
            self.run_process(Some(number), &Value::Function(worker.clone()), arguments, span);
            self.state.counted = counted;
            self.uncertain -= usize::from(may_be_missing);
            self.path.pop();
        }
        if let Some(started) = started
            && let Some((_, mask, cards)) = self.taken_beyond_mask(first)
        {
            let Started { count, text, span } = started;
            let text = format!(
                "`{text}` starts {count} processes that take the GPU with their own number, and the mask `{mask}` leaves {cards}"
            );
            self.note_observed(Observation::RanksBeyondMask, text, span);
        }
        true
    }

    /// Runs the function of a `Process` that is started; `made_with` are the arguments that this was made with.
    pub(super) fn run_started(&mut self, made_with: &Args<'p>, span: Span) -> bool {
        let target = made_with.keyword("target").map(|argument| argument.value.clone());
        let Some(worker @ (Value::Function(_) | Value::Class(_) | Value::Instance(_))) = target else {
            return false;
        };
        let given = made_with.keyword("args").map(|argument| argument.value.clone());
        let given = given.map_or(Some(Vec::new()), |given| self.whole_elements(&given));
        let number = given.iter().flatten().find_map(|value| match value {
            Value::Int(number, place) if *number >= 0 => Some((*number, *place)),
            _ => None,
        });
        let arguments = match given {
            Some(values) => Args::positional(values, span),
            None => Args { items: Vec::new(), open: true },
        };
        let first = self.trace.events.len();
        self.run_process(number.map(|(number, _)| number), &worker, arguments, span);
        if let Some((_, place)) = number
            && let Some((number, mask, cards)) = self.taken_beyond_mask(first)
        {
            let text = format!(
                "process {number} takes the GPU with its own number, and the mask `{mask}` leaves {cards}"
            );
            let what = EventKind::Observed { what: Observation::RanksBeyondMask, about_gpu: true, text };
            self.note_at(what, place);
        }
        true
    }

    /// What a function does in a process of its own, or making an object of a class: nothing of it is seen in this one.
    fn run_process(&mut self, number: Option<i64>, worker: &Value<'p>, arguments: Args<'p>, span: Span) {
        let state = self.state.clone();
        let ways_out = self.ways_out;
        let mark = self.begin_arm();
        let caught = self.new_landing();
        self.catches.push(caught);
        let outer = std::mem::replace(&mut self.number_of_process, number);
        let result = match worker {
            Value::Function(worker) => self.run_function(worker, arguments, span),
            worker => self.call(worker.clone(), arguments, span),
        };
        if self.flow == Flow::Next {
            self.run_paused(&result, span);
        }
        self.number_of_process = outer;
        self.catches.pop();
        self.landing(caught);
        self.flow = Flow::Next;
        self.exits = false;
        self.ways_out = ways_out;
        self.end_arm(mark);
        self.state = state;
    }

    /// The mask behind which one of the processes since an event takes a GPU that is not there, by its own number.
    fn taken_beyond_mask(&mut self, first: usize) -> Option<(i64, String, String)> {
        let own = self.reaching(MASK);
        self.trace.events[first..].iter().find_map(|event| {
            let number = event.process.filter(|_| self.trace.takes_own_number(event))?;
            let mask = mask_of(event)?;
            // One that the process has set itself is for it alone.
            if event.before.mask != own {
                return None;
            }
            let left = masks::read(mask).left;
            let cards = masks::gpus(left);
            (left > 0 && number >= left as i64 && !event.before.counted)
                .then(|| (number, mask.to_owned(), cards))
        })
    }

    /// The first argument by its name, and others of which nothing is known.
    fn named_first(&self, worker: &Closure<'p>, value: Value<'p>, span: Span) -> Args<'p> {
        let first = self.function_of(worker).parameters.first();
        let named = |parameter: &Parameter<'p>| Arg { name: Some(parameter.name.into()), value, span };
        Args { items: first.map(named).into_iter().collect(), open: true }
    }

    /// The values of arguments that are given as one collection, which may be empty.
    fn whole_elements(&mut self, given: &Value<'p>) -> Option<Vec<Value<'p>>> {
        match self.force(given.clone()) {
            Value::Sequence(values) if values.is_empty() => Some(Vec::new()),
            given => self.elements(&given),
        }
    }
}

/// The mask that is in force at an event, where there is one alone.
fn mask_of(event: &Event) -> Option<&str> {
    match &event.before.mask[..] {
        [Definition::Set(_, Some(mask))] => Some(mask),
        _ => None,
    }
}

/// Whether a call starts several processes and hands each its number.
fn is_spawn(callee: &str) -> bool {
    matches!(
        callee,
        "torch.multiprocessing.spawn"
            | "torch.multiprocessing.spawn.spawn"
            | "torch.multiprocessing.start_processes"
            | "torch.multiprocessing.spawn.start_processes"
    )
}
