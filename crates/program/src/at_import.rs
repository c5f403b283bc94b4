//! Which modules may do something to a GPU when they are imported, by what stands at their top level: most define
//! functions and classes there and call nothing, and need not run.

use super::Program;
use super::knowledge::DriverReach;
use crate::code::walk::{Ancestor, CodeNode, walk_top};
use crate::code::{Code, ExprKind};
use crate::facts::{FileId, Place};
use crate::keywords::Keywords;
use crate::sources::{Digest, Language};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// A function or class that says none of these does nothing to a GPU by itself.
const WORDS: [&str; 7] =
    ["is_available(", "device_count(", "cuda(", "cuda.", "\"cuda", "'cuda", "current_device("];

/// What the top level of a module calls.
#[derive(Default)]
struct Calls<'s> {
    /// Something that is known to reach the driver.
    direct: bool,
    /// The last names of other things.
    names: FxHashSet<&'s str>,
}

impl Program<'_> {
    /// The modules of Python that no program was seen to import and whose import may do something.
    pub(super) fn left_alone(&self) -> &[FileId] {
        &self.modules_left().0
    }

    /// The same, with what they are known by from check to check.
    pub(super) fn modules_left(&self) -> &(Vec<FileId>, Digest) {
        self.left_alone.get_or_init(|| {
            let may_act = |file: &FileId| {
                self.language_of(*file) == Language::Python
                    && self.relevance.leads(*file)
                    && self.may_affect_gpu(*file)
                    && !self.ran_elsewhere(*file)
                    && self.start_of(*file).is_none()
                    && self.may_speak_of_gpu(*file)
            };
            let left: Vec<FileId> = self.all_files().filter(may_act).collect();
            let acting = acting(self, &left);
            let digest = Digest::of(&acting);
            (acting, digest)
        })
    }
}

/// Those of the files whose import may reach the driver, or ask for GPUs.
fn acting(program: &Program<'_>, files: &[FileId]) -> Vec<FileId> {
    if files.is_empty() {
        return Vec::new();
    }
    let reaching = program.knowledge.reaching_names();
    let calls: Vec<Calls<'_>> = files.par_iter().map(|&file| calls_of(program, file, &reaching)).collect();
    let called: FxHashSet<&str> = calls.iter().flat_map(|calls| &calls.names).copied().collect();
    let acting = definitions(program, &called);
    let acts = |calls: &Calls<'_>| calls.direct || calls.names.iter().any(|name| acting.contains(name));
    files.iter().zip(&calls).filter(|(_, calls)| acts(calls)).map(|(&file, _)| file).collect()
}

fn calls_of<'p>(
    program: &'p Program<'_>,
    file: FileId,
    reaching: &FxHashMap<&str, DriverReach>,
) -> Calls<'p> {
    let code: &'p Code<'p> = program.code(file);
    let mut calls = Calls::default();
    walk_top(code, &mut |part, around| {
        let CodeNode::Expr(expr) = part else { return };
        let name = match &expr.kind {
            ExprKind::Call(call) => match &call.callee.kind {
                ExprKind::Name(name) | ExprKind::Attribute(_, name) => *name,
                _ => return,
            },
            // Some attributes ask the driver when they are looked up, and decorators are called.
            ExprKind::Attribute(_, name) => *name,
            ExprKind::Name(name) if matches!(around.last(), Some(Ancestor::Decorator(_))) => *name,
            _ => return,
        };
        match reaching.get(name) {
            Some(DriverReach::Always) => calls.direct = true,
            Some(DriverReach::OnGpu) if has_word(program.text(Place { file, span: expr.span })) => {
                calls.direct = true
            }
            // The project may have something of its own by this name.
            Some(DriverReach::OnGpu) | None => _ = calls.names.insert(name),
        }
    });
    calls
}

/// Those of the names under which the project defines something that speaks of GPUs.
fn definitions<'n>(program: &Program<'_>, names: &FxHashSet<&'n str>) -> FxHashSet<&'n str> {
    let in_file = |index: usize| {
        let file = FileId(index as u32);
        // Most say nothing, and their code need not be there.
        if !has_word(&program.sources.file(file).text) {
            return Vec::new();
        }
        let code = program.code(file);
        let functions = code.functions.iter().map(|one| (one.name, one.span));
        let classes = code.classes.iter().map(|one| (one.name, one.span));
        let known = functions.chain(classes).filter_map(|(name, span)| Some((*names.get(name)?, span)));
        let speaks = known.filter(|(_, span)| has_word(program.text(Place { file, span: *span })));
        speaks.map(|(name, _)| name).collect::<Vec<_>>()
    };
    (0..program.codes.len()).into_par_iter().flat_map_iter(in_file).collect()
}

fn has_word(text: &str) -> bool {
    use std::sync::LazyLock;
    static SPEAKING: LazyLock<Keywords> = LazyLock::new(|| Keywords::new(&WORDS));
    SPEAKING.are_in(text)
}
