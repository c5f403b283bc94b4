//! gpulint tells you which GPU your code will touch, before it touches one.

pub mod code;
pub mod facts;
pub mod findings;
pub mod languages;
pub mod policy;
pub mod program;
pub mod report;
pub mod sources;
