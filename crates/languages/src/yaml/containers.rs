//! The GPUs that a container is given, whoever gives them: a compose file, Kubernetes, `docker run`.

use super::values::unknown;
use super::{MASK, ORDER};
use crate::code::{Block, Export, ExprKind, Host, SetVariable};
use crate::facts::Span;
use std::borrow::Cow;

/// The GPUs that a container is given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gpus {
    pub any: bool,
    /// Certain ones, which somebody chose.
    pub certain: bool,
    /// How many, where that is said.
    pub count: Option<usize>,
    /// One only: in which order they count does not matter.
    pub single: bool,
    /// What says so.
    pub span: Option<Span>,
}

impl Gpus {
    /// Reads what the variables of the container tell the container toolkit.
    pub fn read_variables(&mut self, set: &[SetVariable<'_>]) {
        let Some(visible) = set.iter().find(|set| set.name == "NVIDIA_VISIBLE_DEVICES") else { return };
        let text = match visible.value.as_ref().map(|value| &value.kind) {
            Some(ExprKind::Text(text)) => Some(text.trim()),
            _ => None,
        };
        self.any = !matches!(text, Some("" | "void" | "none"));
        if self.any && text != Some("all") {
            self.certain = true;
            self.single |= text.is_some_and(|text| !text.contains(','));
        }
    }

    /// What is in force in the container before anything else.
    pub fn steps<'s>(self, span: Span) -> Block<'s> {
        let span = self.span.unwrap_or(span);
        let names = [(MASK, self.certain), (ORDER, self.single)];
        let set = |name: &'static str| SetVariable {
            name: Cow::Borrowed(name),
            span,
            // Somebody else chose: which, is not known here.
            value: Some(unknown(span)),
            export: Export::Yes,
            only_if_unset: false,
        };
        super::set_all(names.into_iter().filter(|(_, holds)| *holds).map(|(name, _)| set(name)).collect())
            .collect()
    }

    /// Where its programs run, when it is `without` GPUs. Whoever sets a mask means GPUs, however they get there.
    pub fn host(self, set: &[SetVariable<'_>], without: Host) -> Host {
        let has_mask = set.iter().any(|set| set.name == MASK);
        if self.any || has_mask { Host::Container } else { without }
    }
}
