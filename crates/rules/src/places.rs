//! Where a finding points: at what happens, at the statement that leads there, or at the write whose value is in force.

use super::Rule;
use super::conditions::Verdict;
use super::evaluate::Scope;
use super::schema::FindingPlace;
use crate::facts::{FileId, Place};
use crate::program::trace::{Event, EventId, Frame};

/// Where a finding points.
pub(super) struct Places<'a> {
    /// The file that the program starts with.
    pub entry: FileId,
    /// The write whose value is in force.
    pub definition: Option<&'a Event>,
    pub finding: Place,
}

impl Scope<'_> {
    /// Where the finding points, and what it is about.
    pub(super) fn places(&self, rule: &Rule, id: EventId, event: &Event, verdict: &Verdict) -> Places<'_> {
        let entry = self.trace.entry.unwrap_or(event.place.file);
        let statement = || self.statement_of(rule, event, entry);
        let definition = verdict.definition.as_ref().map(|(write, _)| self.trace.event(*write));
        let finding = match rule.at {
            FindingPlace::Event => event.place,
            FindingPlace::Entry => statement(),
            FindingPlace::Test => self.test_name(event).unwrap_or(event.place),
            FindingPlace::Module => self.at_imports().of_event(id).map_or(event.place, |import| import.site),
            FindingPlace::Definition => definition.map_or_else(statement, |write| write.place),
            FindingPlace::Writer => {
                let late = || self.wrong_import(event).or_else(|| self.loading(event));
                late().unwrap_or(event.place)
            }
            FindingPlace::WrongOrder => {
                self.wrong_order(rule, event).or_else(|| self.loading(event)).unwrap_or(event.place)
            }
        };
        Places { entry, definition, finding }
    }

    /// The statement of a file that leads to an event. A `conftest.py` that pytest runs before a test module leads there
    /// itself: without a policy that is one fault of all the modules behind it.
    fn statement_of(&self, rule: &Rule, event: &Event, entry: FileId) -> Place {
        let statement = self.trace.statement_in(event, entry).unwrap_or(event.place);
        if statement.span.end > statement.span.start || self.is_decided(rule) {
            return statement;
        }
        let is_before = |frame: &&Frame| frame.statement == Some(statement) && frame.file != entry;
        let outside = self.trace.outwards(event.frame).find(is_before);
        outside.and_then(|frame| self.trace.statement_in(event, frame.file)).unwrap_or(statement)
    }

    /// The name of the test that an event lies in, where it is defined.
    pub(super) fn test_name(&self, event: &Event) -> Option<Place> {
        let frame = self.trace.test_of(event)?;
        let function = &self.program.functions_that_ran(frame.file)[frame.number?];
        Some(Place { file: frame.file, span: function.name_span })
    }

    /// The call or command that loads the file of settings that an event lies in.
    fn loading(&self, event: &Event) -> Option<Place> {
        let in_settings = !self.program.language_at(event.place).has_programs();
        let site = self.trace.frames[event.frame as usize].site;
        site.filter(|site| in_settings && site.span.end > site.span.start)
    }
}
