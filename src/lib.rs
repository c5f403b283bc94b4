//! gpulint tells you which GPU your code will touch, before it touches one.

pub mod facts;
pub mod findings;
pub mod policy;
pub mod report;
pub mod sources;
