//! The command line of ptx-conform.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
