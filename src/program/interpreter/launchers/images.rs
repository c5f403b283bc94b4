//! Containers that run an image of the project: what its Dockerfile sets is there, and what it starts runs.

use super::super::{Flow, Here, Interpreter};
use crate::code::{Host, Image, StepKind};
use crate::facts::{FileId, Span};
use crate::program::Definition;

impl<'p> Interpreter<'p> {
    /// `build: .` of a service.
    pub(in crate::program::interpreter) fn run_image(&mut self, image: &'p Image<'p>, span: Span) {
        if let Some(file) = self.program.launched_file(self.here.file, None, &image.file) {
            self.run_image_of(file, image.stage, image.replaced, span);
        }
    }

    /// Runs the image that a Dockerfile describes. `replaced`: the container has a command of its own.
    pub(in crate::program::interpreter) fn run_image_of(
        &mut self,
        file: FileId,
        stage: Option<&str>,
        replaced: bool,
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
        let outer = std::mem::replace(&mut self.here, Here::in_module(file, scope, frame));
        self.enter_script(file);
        if unit.host == Host::NoGpu {
            self.enter_host(Host::NoGpu);
        }
        // An entry point hands the command on.
        let is_replaced = replaced && !self.program.has_entrypoint(file);
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
