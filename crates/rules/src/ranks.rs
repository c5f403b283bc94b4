//! GPUs that have the number of a process: a launcher of several processes counts them on each machine.

use super::evaluate::Scope;
use crate::facts::{FileId, Place, Span};
use crate::program::trace::{Event, EventId, EventKind, Takes};

impl Scope<'_> {
    /// Whether a call takes the GPU with the number of this process: `torch.cuda.set_device(local_rank)`. Which card that
    /// is, the launcher decides; it is not whichever comes first.
    pub(super) fn is_by_rank(&self, id: EventId, event: &Event) -> bool {
        let chooses = |&one: &EventId| self.trace.event(one).process == event.process;
        let is_chosen = || self.own_numbers().iter().take_while(|&&one| one < id).any(chooses);
        matches!(event.what, EventKind::Call { takes: Takes::OwnNumber, .. })
            || self.speaks_of_rank(event)
            || event.process.is_some() && is_chosen()
            || self.is_chosen_under_same_test(id, event)
            || self.is_behind_own_choice(id, event)
    }

    /// Whether something goes to the current GPU behind a call on the same way that made the card of the rank the current one.
    fn is_behind_own_choice(&self, id: EventId, event: &Event) -> bool {
        let takes_first = matches!(event.what, EventKind::Call { takes: Takes::First, .. });
        if !takes_first || is_choice(event) || self.program.text(event.place).contains("cuda:") {
            return false;
        }
        let test_of = |one: &Event| self.trace.test_of(one).map(|test| (test.file, test.number));
        let is_on_way = |choice: &Event| {
            (choice.process, choice.in_child) == (event.process, event.in_child)
                && choice.arms.iter().all(|arm| event.arms.contains(arm))
                && (test_of(choice).is_none() || test_of(choice) == test_of(event))
        };
        // The last choice counts.
        let mut before =
            self.choices().iter().rev().filter(|&&one| one < id).map(|&one| self.trace.event(one));
        before.find(|choice| is_on_way(choice)).is_some_and(|choice| {
            matches!(choice.what, EventKind::Call { takes: Takes::OwnNumber, .. })
                || self.speaks_of_rank(choice)
        })
    }

    /// Whether the card of the rank was made the current one behind a test that is asked again here: `if args.cuda:`, twice.
    fn is_chosen_under_same_test(&self, id: EventId, event: &Event) -> bool {
        let mut earlier =
            self.choices().iter().take_while(|&&one| one < id).map(|&one| self.trace.event(one));
        let test_of =
            |one: &Event| test_around(self.program.text_of(one.place.file), one.place.span.start as usize);
        earlier.any(|other| {
            other.place.file == event.place.file
                && self.speaks_of_rank(other)
                && test_of(other).is_some_and(|test| test_of(event) == Some(test))
        })
    }

    /// Whether one of several processes puts something on the current GPU, which is number 0, and only later makes its own
    /// the current one. The first such load is meant.
    pub(super) fn loads_before_own_gpu(&self, id: EventId, event: &Event) -> bool {
        if !self.loads_on_current(event) {
            return false;
        }
        let events = &self.trace.events;
        let is_beside = |other: &Event| {
            (other.process, other.in_child) == (event.process, event.in_child)
                && !self.trace.excludes(event, other)
        };
        // Few programs choose one, so that is asked first.
        let mut choices = self.choices().iter().filter(|choice| **choice > id);
        let Some(&at) = choices.find(|choice| is_beside(&events[**choice as usize])) else { return false };
        let chosen = &events[at as usize];
        let comes_first =
            |other: &Event| (is_choice(other) || self.loads_on_current(other)) && is_beside(other);
        // What the tests of a file do is done in processes of their own.
        self.trace.test_of(chosen).is_none()
            && event.arms.iter().all(|arm| chosen.arms.contains(arm))
            && self.is_by_rank(at, chosen)
            && !events[..id as usize].iter().any(comes_first)
    }

    /// Whether somewhere in the program each of several processes makes the card with its own number the current one.
    pub(super) fn gives_ranks_cards(&self) -> bool {
        self.choices().iter().any(|&one| {
            let choice = self.trace.event(one);
            self.trace.test_of(choice).is_none() && self.is_by_rank(one, choice)
        })
    }

    /// The events by which a process takes the GPU with its own number, in order.
    fn own_numbers(&self) -> &[EventId] {
        self.own_numbers.get_or_init(|| self.trace.own_numbers())
    }

    /// The calls that make a GPU the current one, in order.
    fn choices(&self) -> &[EventId] {
        self.choices.get_or_init(|| {
            let events = (0..).zip(&self.trace.events);
            events.filter(|(_, event)| is_choice(event)).map(|(id, _)| id).collect()
        })
    }

    /// Whether a call puts something on the GPU that is current: `net.cuda()`, `net.to("cuda")`.
    fn loads_on_current(&self, event: &Event) -> bool {
        let names_it = || {
            let text = self.program.text(event.place);
            text.ends_with(".cuda()") || ["\"cuda\"", "'cuda'"].iter().any(|device| text.contains(device))
        };
        event.what.loads() && names_it()
    }

    fn speaks_of_rank(&self, event: &Event) -> bool {
        let text = self.program.text(event.place);
        if self.program.speaks_of_rank(event.place) {
            return true;
        }
        let file = event.place.file;
        let own = self.program.innermost_function(file, event.place.span.start as usize);
        let arguments = text.rsplit_once('(').map_or("", |(_, arguments)| arguments);
        if event.in_child && own.is_some_and(|own| self.takes_first(file, own, arguments)) {
            return true;
        }
        if own.is_some_and(|own| joins_by(self.program.text(Place { file, span: own }), arguments)) {
            return true;
        }
        // Of `device=chosen` it is the value that counts.
        let values = arguments.split(',').map(|argument| argument.rsplit('=').next().unwrap_or(argument));
        // The name is given the number in the function of the event, or outside of all functions.
        values.flat_map(words).any(|name| self.program.is_rank_name(file, name, own))
    }

    /// Whether the first parameter of a function is what it takes for a card: `torch.multiprocessing.spawn` hands its
    /// processes their number there.
    fn takes_first(&self, file: FileId, function: Span, arguments: &str) -> bool {
        let functions = &self.program.code_in_pieces(file).functions;
        let own = functions.iter().find(|known| known.span == function);
        let first = own.and_then(|own| own.parameters.first()).map(|first| first.name);
        first.is_some_and(|first| first.contains("rank") && words(arguments).any(|word| word == first))
    }

    /// The same, or one of several processes that the program starts itself takes a GPU by a number that it is handed.
    pub(super) fn has_number_of_process(&self, event: &Event) -> bool {
        let is_named = || self.program.text(event.place).contains("cuda:");
        (event.in_child && !is_named()) || self.speaks_of_rank(event) || self.trace.takes_own_number(event)
    }
}

/// Whether a function enters a group of processes as the one with the number that a call is given:
/// `init_process_group("nccl", rank=args.gpu)` beside `set_device(args.gpu)`.
fn joins_by(function: &str, arguments: &str) -> bool {
    const JOINS: &str = "init_process_group(";
    let number = arguments.trim_end().trim_end_matches(')').trim();
    let is_name = number.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let mut joined = function.match_indices(JOINS).filter(|_| is_name);
    joined.any(|(at, _)| {
        let given = function[at + JOINS.len()..].split(')').next().unwrap_or_default();
        let mut given = given.split(',').filter_map(|one| one.trim().strip_prefix("rank"));
        given.any(|rest| rest.trim_start().strip_prefix('=').is_some_and(|value| value.trim() == number))
    })
}

/// The line of the `if` that a place lies in first.
fn test_around(text: &str, at: usize) -> Option<&str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let before = text.get(..at)?;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let own = indent(text.get(start..)?.lines().next()?);
    let is_around = |line: &&str| !line.trim().is_empty() && indent(line) < own;
    let above = text.get(..start)?.lines().rev().find(is_around)?.trim();
    (above.starts_with("if ") && above.ends_with(':')).then_some(above)
}

/// Whether a call makes a GPU the current one.
fn is_choice(event: &Event) -> bool {
    matches!(&event.what, EventKind::Call { callee, .. } if callee == "torch.cuda.set_device")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty() && !word.starts_with(char::is_numeric))
}
