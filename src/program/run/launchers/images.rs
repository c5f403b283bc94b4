//! Containers that run an image of the project: what its Dockerfile sets is there, and what it starts runs.

use super::super::{Flow, Here, Run};
use crate::code::{Host, Image, StepKind};
use crate::facts::{FileId, Span};
use crate::program::Definition;

impl<'p> Run<'p> {
    /// `build: .` of a service.
    pub(in crate::program::run) fn run_image(&mut self, image: &'p Image<'p>, span: Span) {
        if let Some(file) = self.program.launched_file(self.here.file, None, &image.file) {
            self.run_image_of(file, image.stage, image.replaced, span);
        }
    }

    /// Runs the image that a Dockerfile describes. `replaced`: the container has a command of its own.
    pub(in crate::program::run) fn run_image_of(
        &mut self,
        file: FileId,
        stage: Option<&str>,
        replaced: bool,
        span: Span,
    ) {
        let [unit] = &self.program.code_in_pieces(file).units[..] else { return };
        let is_other = stage.is_some_and(|stage| unit.name != format!("stage `{stage}`"));
        // Whoever gives GPUs to containers elsewhere means this one as well.
        let is_partial = self.shell.host == Host::BareContainer && self.program.gives_gpus_to_containers();
        if is_other || is_partial || self.is_run_as_script(file) {
            return;
        }
        let frame = self.push_frame(file, None, span);
        self.trace.entered.push(file);
        let scope = self.new_scope(None, false);
        let outer = std::mem::replace(&mut self.here, Here::in_module(file, scope, frame));
        self.enter_script(file);
        if unit.host == Host::NoGpu {
            self.enter_host(Host::NoGpu);
        }
        // An entry point hands the command on.
        let is_replaced = replaced && !self.program.sources.file(file).text.contains("ENTRYPOINT");
        for step in &unit.body {
            match &step.kind {
                // The container has its own.
                StepKind::SetVariable(set) if !self.reaching(&set.name).iter().all(Definition::is_absent) => {
                }
                StepKind::SetVariable(_) => self.block(std::slice::from_ref(step)),
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
