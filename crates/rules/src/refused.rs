//! Values that no variable takes, where it is not sure that they are what they seem.

use super::evaluate::Scope;
use crate::code::StatementKind;
use crate::program::trace::Event;

impl Scope<'_> {
    /// Whether what is written comes from an attribute which begins as None, as a setting of a module does, and which the project
    /// gives a value somewhere.
    pub(super) fn may_be_filled(&self, event: &Event) -> bool {
        let mut attribute = None;
        self.in_file(event.place.file, |scope| {
            scope.each_statement(&mut |step, _| {
                let StatementKind::Assign { value: Some(value), .. } = &step.kind else { return };
                if step.span == event.statement.span {
                    let meant = scope.text(scope.names.meant(value).span);
                    attribute = meant.rsplit_once('.').map(|(_, name)| name.to_owned());
                }
            });
        });
        let Some(name) = attribute else { return false };
        let sets = format!(".{name} = ");
        self.program.every_file().any(|(_, source)| source.is_python() && source.text.contains(&sets))
    }
}
