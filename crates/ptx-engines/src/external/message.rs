//! Messages of the protocol as lines.

use super::process::excerpt;
use crate::protocol::{ExecuteRequest, Hello, PROTOCOL, Request, Response};
use crate::words::shown;
use ptx_spec::must::Must as _;

/// A request as a line.
pub(super) fn line(request: &Request) -> Vec<u8> {
    let mut line = serde_json::to_vec(request).must("the keys of all maps of a request are text");
    line.push(b'\n');
    line
}

/// The request for an introduction.
pub(super) fn hello() -> Vec<u8> {
    let tool = format!("ptx-conform {}", env!("CARGO_PKG_VERSION"));
    line(&Request::Hello(Hello { protocol: PROTOCOL, tool }))
}

/// A request for nothing: an engine that answers it is still running, and has nothing more to say about the
/// request before it.
pub(super) fn ping(id: u64) -> Vec<u8> {
    line(&Request::Execute(ExecuteRequest { id, module: None, cases: Vec::new() }))
}

/// Reads a line that an engine answered.
pub(super) fn response(line: &[u8]) -> Result<Response, String> {
    let why = |error: serde_json::Error| format!("its answer is not a response: {} ({error})", excerpt(line));
    // The error may quote the line.
    serde_json::from_slice(line).map_err(|error| shown(why(error)))
}
