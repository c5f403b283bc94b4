//! Containers that run an image of the project: what its Dockerfile sets is there, and what it starts runs.

use super::super::{CodePosition, Flow, Interpreter};
use crate::code::{ExprKind, Host, Image, Observation, SetVariable, StatementKind};
use crate::facts::{FileId, Span};
use crate::masks;
use crate::program::trace::EventKind;
use crate::program::{Definition, MASK};

impl<'p> Interpreter<'p> {
    /// `build: .` of a service.
    pub(in crate::interpreter) fn run_image(&mut self, image: &'p Image<'p>, span: Span) {
        if let Some(file) = self.program.launched_file(self.here.file, None, &image.file) {
            self.run_image_of(file, image.stage, (image.replaced, image.given), span);
        }
    }

    /// Runs the image that a Dockerfile describes. `replaced`: the container has a command of its own.
    pub(in crate::interpreter) fn run_image_of(
        &mut self,
        file: FileId,
        stage: Option<&str>,
        (replaced, given): (bool, Option<usize>),
        span: Span,
    ) {
        // The last stage is what is built where none is named.
        let mut stages = self.program.code_in_pieces(file).units.iter().rev();
        let is_wanted = |name: &str| stage.is_none_or(|stage| name == format!("stage `{stage}`"));
        let Some(unit) = stages.find(|unit| is_wanted(&unit.name)) else { return };
        // Whoever gives GPUs to containers elsewhere means this one as well.
        let is_partial = self.shell.host == Host::BareContainer && self.program.gives_gpus_to_containers();
        if is_partial || self.is_run_as_script(file) {
            return;
        }
        let frame = self.push_frame(file, None, span);
        self.trace.entered.push(file);
        let scope = self.new_scope(None, false);
        let outer = std::mem::replace(&mut self.here, CodePosition::in_module(file, scope, frame));
        self.enter_script(file);
        if unit.host == Host::NoGpu {
            self.enter_host(Host::NoGpu);
        }
        // An entry point hands the command on.
        let is_replaced = replaced && !self.program.has_entrypoint(file);
        for step in &unit.body {
            if let (StatementKind::SetVariable(set), Some(given)) = (&step.kind, given)
                && let Some(text) = beyond(set, given)
            {
                let what = EventKind::Observed { what: Observation::DoubleRemap, about_gpu: true, text };
                self.note(what, step.span);
            }
            match &step.kind {
                // The container has its own.
                StatementKind::SetVariable(set)
                    if !self.reaching(&set.name).iter().all(Definition::is_absent) => {}
                StatementKind::SetVariable(_) => self.block(std::slice::from_ref(step)),
                _ if is_replaced => {}
                _ => self.block(std::slice::from_ref(step)),
            }
        }
        self.join_exits();
        self.leave_script();
        self.flow = Flow::Next;
        self.here = outer;
    }
}

/// The mask of an image, where it names an index that a container with so many GPUs does not have.
fn beyond(set: &SetVariable<'_>, given: usize) -> Option<String> {
    let text = match &set.value.as_ref()?.kind {
        ExprKind::Text(text) => text.trim().to_owned(),
        ExprKind::Int(index) => index.to_string(),
        _ => return None,
    };
    let highest = masks::read(&text).highest.filter(|_| set.name == MASK)?;
    (highest >= given as u64).then(|| format!("{MASK}={text}"))
}

/// How many GPUs the words of `docker run` give a container by number or name, where they give it no mask.
pub(in crate::interpreter) fn given_by(words: &[Option<&str>]) -> Option<usize> {
    if words.iter().any(|word| word.is_none_or(|word| word.contains(MASK) || word.starts_with("--env-file")))
    {
        return None;
    }
    let mut given =
        words.iter().flatten().filter_map(|word| word.split_once("device=").map(|(_, list)| list));
    let list = given.next()?.trim_matches(['"', '\'']);
    let is_list = !list.is_empty() && !list.contains("all") && given.next().is_none();
    is_list.then(|| list.split(',').count())
}
