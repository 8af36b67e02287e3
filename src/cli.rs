//! The command line: one file and one `Opts` for each subcommand.
//!
//! Results go to stdout, everything else to stderr. Exit codes: 0 all agreed, 1 a mismatch, 2 something
//! could not be judged.

mod answers;
mod blame;
mod check;
mod defects;
mod engine;
mod engines;
mod environment;
mod execute;
mod explain;
mod generate;
mod hash;
mod judge;
mod load;
mod matrix;
mod minimize;
mod output;
mod place;
mod record;
mod replay;
mod report;
mod run;
mod sarif;
mod spec;
mod toolchain;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Test implementations of NVIDIA PTX against a machine-readable specification.
#[derive(Debug, Parser)]
#[command(name = "ptx-conform", version, after_help = AFTER)]
struct Cli {
    /// Directory of the specification [default: `specs/` if it has an isa.yaml, otherwise the built-in one].
    #[arg(long, global = true, value_name = "DIR")]
    specs: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

const AFTER: &str = "\
Exit codes: 0 all agreed, 1 new mismatches, 2 something could not be judged.
Example: ptx-conform explain 'ld.global.v4.f64 {%fd1, %fd2, %fd3, %fd4}, [%rd1];'";

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(Box<run::Opts>),
    Report(report::Opts),
    Blame(blame::Opts),
    Check(check::Opts),
    Judge(judge::Opts),
    Explain(explain::Opts),
    Matrix(matrix::Opts),
    Defects(defects::Opts),
    Generate(generate::Opts),
    Minimize(minimize::Opts),
    Replay(replay::Opts),
    Execute(execute::Opts),
    Record(record::Opts),
    Engine(engine::Opts),
    Toolchain(toolchain::Opts),
    Answers(answers::Opts),
    Spec(spec::Opts),
}

pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => return output::print_usage(&usage),
    };
    let specs = cli.specs.as_deref();
    let done = match cli.command {
        Command::Run(opts) => opts.run(specs),
        Command::Report(opts) => opts.run(specs),
        Command::Blame(opts) => opts.run(specs),
        Command::Check(opts) => opts.run(specs),
        Command::Judge(opts) => opts.run(specs),
        Command::Explain(opts) => opts.run(specs),
        Command::Matrix(opts) => opts.run(specs),
        Command::Defects(opts) => opts.run(specs),
        Command::Generate(opts) => opts.run(specs),
        Command::Minimize(opts) => opts.run(specs),
        Command::Replay(opts) => opts.run(specs),
        Command::Execute(opts) => opts.run(specs),
        Command::Record(opts) => opts.run(specs),
        Command::Toolchain(opts) => opts.run(),
        Command::Answers(opts) => opts.run(),
        Command::Engine(opts) => opts.run(specs),
        Command::Spec(opts) => opts.run(specs),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            output::say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}
