//! The validations of many machines, merged into one verdict and one page.
//!
//! ```text
//! reading     a report as the text of a file has it → what is kept of it
//! merge       all of them, in any order → one document
//! kinds       cards of one kind, held against each other
//! document    all of it, as one document
//! pages       the document for people and for other programs
//! ```
//!
//! Merging is a pure function of the reports: their order and their copies change nothing. Of each report only a few lines are
//! kept, so that thousands take little memory.

pub mod document;
mod kinds;
pub mod merge;
pub mod pages;
mod reading;

pub use reading::MOST_BYTES;

#[cfg(test)]
mod tests;
