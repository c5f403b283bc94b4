//! Whose code was looked at: while a program was followed and judged, and in each call that is summed up.

use crate::facts::{FileId, Place};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

thread_local! {
    static JOURNAL: RefCell<Journal> = RefCell::default();
}

/// What was looked at, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct FilesRead {
    /// Files of which any part may have been looked at.
    pub whole: Vec<FileId>,
    /// Those of which it was what is in no function, and the functions that ran.
    pub pieces: Vec<FileId>,
    /// Those of which it was the text up to here, as it stands.
    pub until: Vec<(FileId, u32)>,
    /// Questions about the texts of all files, by their numbers.
    pub questions: Vec<u32>,
}

/// What one thread looked at, in spans that lie in each other. A span has each reading once.
#[derive(Default)]
struct Journal {
    /// For each reading one more than where its latest note lies; 0 where it has none. Empty where nobody asks.
    latest: Vec<u32>,
    /// How many of the readings are of files: those behind them are of questions.
    of_files: u32,
    notes: Vec<Note>,
    /// Where the innermost span starts.
    start: u32,
    /// How many of the spans that are open are of calls.
    calls: u32,
    until: FxHashMap<FileId, u32>,
}

struct Note {
    reading: u32,
    /// What was the latest note of this reading before.
    earlier: u32,
}

/// A span of readings that is open: where the one around it starts.
pub(super) struct Span(u32);

/// What was looked at in a span: twice the number of a file, and one more where it was only pieces of it. Numbers behind those of all
/// files stand for questions.
pub(super) type Readings = Box<[u32]>;

/// Notes that somebody looked at any part of the code of a file.
pub(super) fn note_whole(file: FileId) {
    JOURNAL.with_borrow_mut(|journal| journal.note(2 * file.0));
}

/// Notes that somebody looked at what is in no function, or at functions that run.
pub(super) fn note_pieces(file: FileId) {
    JOURNAL.with_borrow_mut(|journal| journal.note(2 * file.0 + 1));
}

/// Notes that somebody looked at the text that ends here. For calls that counts as the whole file.
pub(super) fn note_text(place: Place) {
    JOURNAL.with_borrow_mut(|journal| {
        if journal.calls > 0 {
            journal.note(2 * place.file.0);
        } else if !journal.latest.is_empty() {
            let until = journal.until.entry(place.file).or_default();
            *until = place.span.end.max(*until);
        }
    });
}

/// Notes that somebody asked this question of the texts of all files.
pub(super) fn note_question(number: u32) {
    JOURNAL.with_borrow_mut(|journal| journal.note(journal.of_files + number));
}

/// Notes once more what was looked at in a span that is over.
pub(super) fn note_again(readings: &Readings) {
    JOURNAL.with_borrow_mut(|journal| readings.iter().for_each(|&reading| journal.note(reading)));
}

/// Whether somebody asks what is looked at.
pub(super) fn is_asked() -> bool {
    JOURNAL.with_borrow(|journal| !journal.latest.is_empty())
}

/// Notes once more what was looked at while something was done.
pub(super) fn note_read(read: &FilesRead) {
    read.whole.iter().for_each(|file| note_whole(*file));
    read.pieces.iter().for_each(|file| note_pieces(*file));
    read.questions.iter().for_each(|number| note_question(*number));
    JOURNAL.with_borrow_mut(|journal| {
        for &(file, end) in &read.until {
            let known = journal.until.entry(file).or_default();
            *known = end.max(*known);
        }
    });
}

/// Begins the span of a call, inside of the one that is open.
pub(super) fn begin() -> Span {
    JOURNAL.with_borrow_mut(|journal| {
        journal.calls += 1;
        journal.begin()
    })
}

/// Ends the span of the innermost call. What it has counts in the one around it too.
pub(super) fn end(span: Span) -> Readings {
    JOURNAL.with_borrow_mut(|journal| {
        journal.calls -= 1;
        journal.end(span)
    })
}

/// Does something, and says which of so many files were looked at. What is done inside of another such call counts there too.
pub(super) fn during<R>(files: usize, work: impl FnOnce() -> R) -> (R, FilesRead) {
    let (is_outermost, around, span) = JOURNAL.with_borrow_mut(|journal| {
        let is_outermost = journal.latest.is_empty();
        if is_outermost {
            journal.of_files = 2 * files as u32;
            journal.latest.resize(2 * files + 1, 0);
        }
        (is_outermost, std::mem::take(&mut journal.until), journal.begin())
    });
    let result = work();
    let (readings, until) = JOURNAL.with_borrow_mut(|journal| {
        let readings = journal.end(span);
        let until = std::mem::replace(&mut journal.until, around);
        for (file, end) in &until {
            let known = journal.until.entry(*file).or_default();
            *known = (*end).max(*known);
        }
        if is_outermost {
            *journal = Journal::default();
        }
        (readings, until)
    });
    let of_files = 2 * files as u32;
    let those = |kind: u32| {
        let mut files: Vec<FileId> = readings
            .iter()
            .filter(|&&reading| reading % 2 == kind && reading < of_files)
            .map(|reading| FileId(reading / 2))
            .collect();
        files.sort_unstable();
        files
    };
    (
        result,
        FilesRead {
            whole: those(0),
            pieces: those(1),
            until: until.into_iter().collect(),
            questions: readings.iter().filter_map(|reading| reading.checked_sub(of_files)).collect(),
        },
    )
}

impl Journal {
    fn note(&mut self, reading: u32) {
        let end = self.notes.len() as u32;
        if reading >= self.of_files && !self.latest.is_empty() && reading as usize >= self.latest.len() {
            self.latest.resize(reading as usize + 1, 0);
        }
        if let Some(latest) = self.latest.get_mut(reading as usize)
            && *latest <= self.start
        {
            self.notes.push(Note { reading, earlier: std::mem::replace(latest, end + 1) });
        }
    }

    fn begin(&mut self) -> Span {
        let around = self.start;
        self.start = self.notes.len() as u32;
        Span(around)
    }

    fn end(&mut self, Span(around): Span) -> Readings {
        let mut readings = Vec::with_capacity(self.notes.len() - self.start as usize);
        while self.notes.len() > self.start as usize
            && let Some(note) = self.notes.pop()
        {
            readings.push(note.reading);
            self.latest[note.reading as usize] = note.earlier;
        }
        self.start = around;
        readings.iter().for_each(|&reading| self.note(reading));
        readings.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(readings: &Readings) -> Vec<u32> {
        let mut readings = readings.to_vec();
        readings.sort_unstable();
        readings
    }

    #[test]
    fn a_span_has_what_was_looked_at_in_it_and_in_those_inside() {
        let ((), read) = during(10, || {
            note_whole(FileId(1));
            let outer = begin();
            note_pieces(FileId(2));
            let inner = begin();
            note_whole(FileId(1));
            note_pieces(FileId(2));
            note_pieces(FileId(3));
            note_pieces(FileId(3));
            assert_eq!(sorted(&end(inner)), [2, 5, 7]);
            note_pieces(FileId(3));
            let second = begin();
            note_pieces(FileId(3));
            assert_eq!(sorted(&end(second)), [7]);
            let outer = end(outer);
            assert_eq!(sorted(&outer), [2, 5, 7]);
            let third = begin();
            note_again(&outer);
            assert_eq!(sorted(&end(third)), [2, 5, 7]);
        });
        assert_eq!(read.whole, [FileId(1)]);
        assert_eq!(read.pieces, [FileId(2), FileId(3)]);
        assert!(read.questions.is_empty());
        let ((), read) = during(2, || {
            note_question(0);
            let call = begin();
            note_question(70);
            note_question(0);
            assert_eq!(sorted(&end(call)), [4, 74]);
        });
        assert!(read.whole.is_empty() && read.pieces.is_empty());
        assert_eq!(sorted(&read.questions.into()), [0, 70]);
    }

    #[test]
    fn nothing_is_noted_where_nobody_asks() {
        note_whole(FileId(1));
        let span = begin();
        note_whole(FileId(1));
        assert!(end(span).is_empty());
        let ((), read) = during(2, || ());
        assert!(read.whole.is_empty() && read.pieces.is_empty());
    }
}
