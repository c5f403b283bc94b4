//! Writes that give a variable the value that it has: a function that sets it, and is called again with the same argument.

use super::evaluate::Scope;
use crate::code::walk::{Ancestor, CodeNode, walk, within_function};
use crate::code::{Argument, Code, Expr, ExprKind, StatementKind, Target};
use crate::facts::{Place, Span};
use crate::program::Definition;
use crate::program::trace::{Event, EventKind, Frame, FrameId, NOT_NOTED};

impl Scope<'_> {
    /// Whether a write repeats what an earlier call of its function did, in which CUDA was initialised: no value tells
    /// them apart, and what the function is given is neither another argument nor what a loop goes through.
    pub(super) fn is_given_again(&self, write: &Event, initialised: &Event, then: &[Definition]) -> bool {
        let frame = |id: FrameId| &self.trace.frames[id as usize];
        let own = frame(write.frame);
        let is_own = |id: &FrameId| (frame(*id).file, frame(*id).number) == (own.file, own.number);
        let mut outwards =
            std::iter::successors(Some(initialised.frame), |&id| frame(id).parent).filter(is_own);
        let earlier = outwards.next().filter(|&earlier| own.number.is_some() && earlier != write.frame);
        let (Some(earlier), EventKind::Write { value, .. }) = (earlier, &write.what) else { return false };
        let is_told_apart = |definition: &Definition| match definition {
            Definition::Set(NOT_NOTED, _) | Definition::Elsewhere | Definition::Removed(_) => true,
            Definition::Set(event, known) => {
                !is_own(&self.trace.event(*event).frame) || known.is_some() && value.is_some()
            }
            Definition::Unset => false,
        };
        let sets = |definition: &Definition| matches!(definition, Definition::Set(..));
        if !then.iter().any(sets) || then.iter().any(is_told_apart) {
            return false;
        }
        // What the values of the function's writes are made of.
        let code = self.program.code(own.file);
        let mut names: Vec<String> = Vec::new();
        let writes = then.iter().filter_map(|definition| match definition {
            Definition::Set(event, _) => Some(self.trace.event(*event).place.span),
            _ => None,
        });
        for span in writes.chain([write.place.span]) {
            names.extend(names_in(code, span));
        }
        if self.varies(write.place, &names) {
            return false;
        }
        let later = self.trace.outwards(write.frame);
        let before = self.trace.outwards(earlier);
        for (later, before) in later.zip(before) {
            let (Some(site), Some(site_before)) = (later.site, before.site) else { return true };
            let (given, given_before) =
                (self.given(later, site, &names), self.given(before, site_before, &names));
            let (Some(given), Some(given_before)) = (given, given_before) else { return false };
            if site != site_before {
                return given
                    .iter()
                    .map(|place| self.program.text(*place))
                    .eq(given_before.iter().map(|place| self.program.text(*place)));
            }
            let code = self.program.code(site.file);
            // `run(**vars(options))` hands on `options.device`, as long as no loop goes through that.
            let handed_on = std::mem::take(&mut names);
            names = given.iter().flat_map(|place| names_in(code, place.span)).collect();
            if given.iter().any(|place| self.program.text(*place).starts_with("vars(")) {
                names.extend(handed_on);
            }
            if self.varies(site, &names) {
                return false;
            }
        }
        true
    }

    /// Whether a loop around a place, in its function, goes through one of these names.
    fn varies(&self, place: Place, names: &[String]) -> bool {
        let mut varies = false;
        walk(self.program.code(place.file), &mut |part, around| {
            let span = match part {
                CodeNode::Expr(expr) => expr.span,
                CodeNode::Statement(step) => step.span,
                CodeNode::Target(_) => return,
            };
            if span != place.span {
                return;
            }
            varies |= within_function(around).1.iter().any(|around| match around {
                Ancestor::Loop(step) => match &step.kind {
                    StatementKind::For { target, .. } => names.iter().any(|name| binds(target, name)),
                    _ => false,
                },
                Ancestor::Comprehension(comprehension) => comprehension
                    .generators
                    .iter()
                    .any(|generator| names.iter().any(|name| binds(&generator.target, name))),
                _ => false,
            });
        });
        varies
    }

    /// What a call gives for those of the names that are parameters of its function; `None` where that is not told.
    fn given(&self, frame: &Frame, site: Place, names: &[String]) -> Option<Vec<Place>> {
        let function = self.program.code(frame.file).functions.get(frame.number?)?;
        let mut found = None;
        walk(self.program.code(site.file), &mut |part, _| {
            if let CodeNode::Expr(Expr { kind: ExprKind::Call(call), span }) = part
                && *span == site.span
            {
                found = Some(call);
            }
        });
        let call = found?;
        let is_method = matches!(function.parameters.first(), Some(first) if first.name == "self");
        let mut given = Vec::new();
        for (at, parameter) in function.parameters.iter().enumerate() {
            if !names.iter().any(|name| name == parameter.name) {
                continue;
            }
            let named = |argument: &&Argument<'_>| argument.name == Some(parameter.name);
            let at = at.checked_sub(usize::from(is_method))?;
            let unpacked = call.arguments.iter().find(|argument| argument.unpacked);
            let is_plain = |argument: &&Argument<'_>| argument.name.is_none() && !argument.unpacked;
            let positional = call.arguments.iter().filter(is_plain).nth(at);
            let argument = call.arguments.iter().find(named).or(positional).or(unpacked);
            // What else is unpacked may hold anything.
            if unpacked.is_some_and(|all| !is_vars(&all.value)) {
                return None;
            }
            if let Some(argument) = argument {
                given.push(Place { file: site.file, span: argument.value.span });
            }
        }
        Some(given)
    }
}

/// Whether an argument is `vars(…)` of a name.
fn is_vars(argument: &Expr<'_>) -> bool {
    let ExprKind::Call(call) = &argument.kind else { return false };
    let is_name = |one: &Argument<'_>| matches!(one.value.kind, ExprKind::Name(_));
    matches!(call.callee.kind, ExprKind::Name("vars")) && call.arguments.iter().all(is_name)
}

fn names_in(code: &Code<'_>, within: Span) -> Vec<String> {
    let mut names = Vec::new();
    walk(code, &mut |part, _| {
        if let CodeNode::Expr(Expr { kind: ExprKind::Name(name), span }) = part
            && within.start <= span.start
            && span.end <= within.end
        {
            names.push((*name).to_owned());
        }
    });
    names
}

fn binds(target: &Target<'_>, name: &str) -> bool {
    match target {
        Target::Name(bound, _) => *bound == name,
        Target::Sequence(targets) => targets.iter().any(|target| binds(target, name)),
        Target::Rest(target) => binds(target, name),
        // `for options.device in devices`
        Target::Attribute(_, attribute) => *attribute == name,
        Target::Item(_) => false,
    }
}
