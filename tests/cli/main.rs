//! The command line: transcripts, checks of files, reports after a run, and failures of all around it.

mod check;
mod commands;
mod reliability;
mod report;
#[path = "../transcript/mod.rs"]
mod transcript;
