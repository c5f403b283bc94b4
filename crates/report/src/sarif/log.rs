//! The part of SARIF's object model that is written.

use crate::findings::Confidence;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub struct Log<'a> {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run<'a> {
    pub tool: Tool<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automation_details: Option<Automation>,
    pub original_uri_base_ids: BTreeMap<&'static str, Base>,
    pub column_kind: &'static str,
    pub invocations: [Invocation; 1],
    pub results: Vec<ResultEntry<'a>>,
}

#[derive(Serialize)]
pub struct Tool<'a> {
    pub driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Driver<'a> {
    pub name: &'static str,
    pub semantic_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub information_uri: Option<&'static str>,
    pub notifications: [Notice; 3],
    pub rules: Vec<Descriptor<'a>>,
}

/// What the tool may say about a run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    pub id: &'static str,
    pub short_description: Message,
    pub full_description: Message,
    pub help: Message,
}

/// A rule.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor<'a> {
    pub id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_description: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_description: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Help>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_configuration: Option<Configuration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<RuleProperties<'a>>,
}

#[derive(Serialize)]
pub struct Help {
    pub text: String,
    pub markdown: String,
}

#[derive(Serialize)]
pub struct Configuration {
    pub level: &'static str,
}

#[derive(Serialize)]
pub struct RuleProperties<'a> {
    pub tags: [&'a str; 2],
    pub precision: Confidence,
    #[serde(rename = "problem.severity")]
    pub problem_severity: &'static str,
}

#[derive(Serialize)]
pub struct Automation {
    pub id: String,
}

#[derive(Serialize)]
pub struct Base {
    pub description: Message,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    pub execution_successful: bool,
    pub tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub struct Notification {
    pub descriptor: Reference,
    pub level: &'static str,
    pub message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
}

#[derive(Serialize)]
pub struct Reference {
    pub id: &'static str,
}

/// A finding: SARIF's `result`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultEntry<'a> {
    pub rule_id: &'a str,
    pub rule_index: usize,
    pub level: &'static str,
    pub rank: f32,
    pub message: Message,
    pub locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code_flows: Vec<Flow>,
    pub partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<Repair>,
    /// Empty means not suppressed; absent would mean that nobody knows.
    pub suppressions: Vec<Suppression>,
    pub properties: Properties<'a>,
}

/// SARIF's `fix`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Repair {
    pub description: Message,
    pub artifact_changes: Vec<Change>,
}

/// What changes in one file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    pub artifact_location: Artifact,
    pub replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replacement {
    pub deleted_region: Region,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inserted_content: Option<Message>,
}

#[derive(Serialize)]
pub struct Properties<'a> {
    pub confidence: Confidence,
    /// The files of the policies that the finding is judged by, where the run has several.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub policies: &'a [String],
}

#[derive(Serialize)]
pub struct Suppression {
    pub kind: &'static str,
    pub status: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Flow {
    pub thread_flows: [Thread; 1],
}

#[derive(Serialize)]
pub struct Thread {
    pub locations: Vec<Step>,
}

#[derive(Serialize)]
pub struct Step {
    pub location: Location,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<usize>,
    pub physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Physical {
    pub artifact_location: Artifact,
    /// Absent where the whole file is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    pub uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    pub start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<u32>,
    pub end_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<u32>,
}

#[derive(Serialize)]
pub struct Message {
    pub text: String,
}

impl Message {
    pub fn of(text: impl Into<String>) -> Message {
        Message { text: text.into() }
    }
}
