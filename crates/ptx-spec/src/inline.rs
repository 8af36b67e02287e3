//! Inline assembly in source files: CUDA, C, C++, Rust, Python, Julia, LLVM IR and MLIR.
//!
//! A file is split into words, strings and signs; statements of inline assembly are found among them, with their strings
//! joined and their operands as registers of the types that the constraints demand. Each is checked as the body of a
//! function, and what is found is said of the bytes of the file.

mod asm_statement;
mod brackets;
mod calls;
mod checked_source;
mod find;
mod ir;
mod joined;
mod language;
mod mapped_text;
mod pasted;
mod ptx_text;
mod quoted;
mod source_token;
mod statements_of_c;
mod strings;
mod template;
mod wrapped;

pub use checked_source::{CheckedSource, InlineChecker, SkippedStatements};
pub use language::{SUFFIXES, SourceLanguage};
pub use pasted::PastedAsm;
