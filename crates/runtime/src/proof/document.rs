//! A proof as one JSON document: the verdict, its reasons, and what was seen.

use super::Request;
use super::harness::HarnessRecord;
use super::sightings::{ProcessFindings, Python};
use crate::runtime::document::Document;
use crate::runtime::exec::Refusal;
use crate::runtime::record::Record;
use crate::runtime::validation::document::{Reason, Verdict, Weight};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the document. Keys are added without a new one.
pub const SCHEMA: u32 = 1;

/// What one command showed that is to do without the GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// 1.
    pub schema: u32,
    pub verdict: Verdict,
    /// Why it is not simply approved, the most serious first; and notes.
    pub reasons: Vec<Reason>,
    pub exit_code: i32,
    /// Modules that must not be imported, with all that lies below them.
    pub forbidden: Vec<String>,
    /// Whether the devices were hidden as well.
    pub strict: bool,
    /// How the command ran.
    pub record: Record,
    /// Forbidden modules that were imported, each once for each process.
    pub imports: Vec<Import>,
    /// The Python processes that told about their imports.
    pub interpreters: Vec<Interpreter>,
    /// Python processes that were seen and told nothing: what they imported is not known.
    pub silent: Vec<Python>,
    /// Whether the system told of each file that was opened, so that no device file was missed.
    pub every_opening: bool,
    /// What was seen from outside that speaks of a GPU.
    pub sightings: Vec<Sighting>,
    /// The device files of cards on this machine.
    pub device_files: Vec<String>,
    /// The cards on which the command's processes were looked for.
    pub cards: Vec<String>,
}

/// An import of a forbidden module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Import {
    pub module: String,
    pub pid: u32,
    /// The lines that led to it, from the inside out.
    pub chain: Vec<Site>,
    /// How long it took, if that was measured.
    pub milliseconds: Option<f64>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Site {
    pub path: String,
    pub line: u32,
}

/// A Python process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Interpreter {
    pub pid: u32,
    /// The version of Python.
    pub version: String,
    pub command: Vec<String>,
}

/// Something that was seen of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sighting {
    pub pid: u32,
    pub name: String,
    pub what: What,
    /// The file, the library or the card.
    pub detail: String,
    /// Of a device file: a library in the process that asks the driver where no line of the program does. `null` where there is none.
    #[serde(default)]
    pub asker: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// It opened a device file of a GPU, or tried to.
    DeviceFile,
    /// It was in NVML's list of those who compute on a card.
    OnCard,
    /// It had loaded a library of a forbidden module.
    Library,
}

impl Proof {
    /// What is known, before it is judged and without what the machine has.
    pub(super) fn of(
        request: &Request<'_>,
        record: Record,
        told: HarnessRecord,
        seen: ProcessFindings,
    ) -> Proof {
        let told_by = |python: &Python| told.interpreters.iter().any(|one| one.pid == python.pid);
        Proof {
            schema: SCHEMA,
            verdict: Verdict::Running,
            reasons: Vec::new(),
            exit_code: Verdict::Running.exit_code(),
            forbidden: request.forbidden.clone(),
            strict: request.strict,
            silent: seen.interpreters.into_iter().filter(|python| !told_by(python)).collect(),
            record,
            imports: told.imports,
            interpreters: told.interpreters,
            every_opening: seen.every_opening,
            sightings: seen.sightings,
            device_files: Vec::new(),
            cards: Vec::new(),
        }
    }

    /// Of a command that was not started.
    pub fn refused(request: &Request<'_>, refusal: &Refusal) -> Proof {
        let words = request.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let mut record = Record::begun(words);
        let why = refusal.to_string();
        let reason = match refusal {
            Refusal::Command(_) => Reason::of(Weight::Infrastructure, "not-started", why),
            _ => Reason::of_refusal(Some(refusal.exit_code()), why),
        };
        record.end = refusal.end();
        record.simulated = matches!(refusal, Refusal::Simulated);
        record.exit_code = Some(refusal.exit_code());
        let mut proof = Proof::of(request, record, HarnessRecord::default(), ProcessFindings::default());
        (proof.verdict, proof.exit_code) = (Verdict::of(Some(reason.weight)), refusal.exit_code());
        proof.reasons.push(reason);
        proof
    }
}

impl Document for Proof {
    const TITLE: &str = "gpulint prove";
}
