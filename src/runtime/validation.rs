//! Proves a machine and a project's programs on it, and gives a verdict that a team can trust.
//!
//! ```text
//! plan        which checks the policy and the request want
//! workers     each check in a process of its own, several at once, the card used by one at a time
//! evidence    what a check measured, from its record and its lines
//! judgement   what that proves
//! document    all of it, as one document, and the verdict
//! history     how fast the card was before
//! peak        how fast it could be at most
//! pages       the document for people and for other programs
//! ```

pub mod document;
pub mod history;
pub mod pages;
pub mod peak;
