//! What every part of gpulint stands on: its vocabulary ([`facts`], [`code`], [`masks`], [`allocator`], [`commands`],
//! [`keywords`]), what it reads from the disk ([`disk`], [`sources`]), what it says ([`findings`]), and what a team and a run want
//! ([`policy`], [`settings`]).
//!
//! It is a part of gpulint and no library for others: any version may change everything.

pub mod allocator;
pub mod atomic_write;
pub mod code;
pub mod commands;
pub mod disk;
pub mod facts;
pub mod findings;
pub mod keywords;
pub mod masks;
pub mod policy;
pub mod settings;
pub mod sources;
