//! The commands about the machine, on a simulated host: nothing here is about hardware.
#![cfg(target_os = "linux")]

mod client;
mod commands;
mod compare;
mod contention;
mod doctor;
mod exec;
mod faults;
mod folder;
mod init;
mod masks;
mod monitoring;
mod native;
mod on_hardware;
mod pages;
mod patience;
mod planted;
mod prometheus;
mod prove;
mod pytest_plugin;
mod repeat;
mod report_merge;
mod runs;
mod simulated;
mod slices;
mod strays;
mod validate;
mod validate_ended;
mod validate_often;
mod validate_workers;
mod withheld;
