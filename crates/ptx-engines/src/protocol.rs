//! The engine protocol: what is sent to an engine in another process, and what it answers. One JSON
//! object on a line, requests on its standard input, responses on its standard output, described for
//! authors of engines in `docs/protocol.md`.

use serde::{Deserialize, Deserializer, Serialize};

use ptx_exec::kernel::Kernel;
use ptx_exec::program::{Answer, Program};
use ptx_spec::environment::{Target, Version};

/// The version of the protocol. It changes where an engine that is right would become wrong; fields
/// that may be left out are added without.
pub const PROTOCOL: u32 = 1;

/// What is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// The first message.
    Hello(Hello),
    /// Lines to judge.
    Judge(JudgeRequest),
    /// Cases to execute.
    Execute(ExecuteRequest),
}

/// The first message of either side begins the conversation; this one is ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`]
    pub protocol: u32,
    /// `ptx-conform 0.1.0`
    pub tool: String,
}

/// What an engine says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// [`PROTOCOL`]
    pub protocol: u32,
    /// Letters, digits, `-` and `_`.
    pub name: String,
    /// Its version: numbers with dots between them.
    pub version: String,
    /// What it can do; what is not known of that is left out.
    #[serde(deserialize_with = "known")]
    pub abilities: Vec<Ability>,
    /// The PTX versions it takes; empty where it takes any.
    #[serde(default)]
    pub ptx: Vec<Version>,
    /// The targets it takes; empty where it takes any.
    #[serde(default)]
    pub targets: Vec<Target>,
    /// More about it, for provenance: `device`, `driver` and the like.
    #[serde(default)]
    pub details: std::collections::BTreeMap<String, String>,
}

/// What an engine can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// It judges lines: parses and checks them.
    Judge,
    /// It takes lines through code generation when judging.
    Generate,
    /// It executes cases as they are typed: line, setup and rows.
    Cases,
    /// It executes kernels: modules of PTX with an interface.
    Kernels,
}

/// The abilities that are known: later versions may have others.
fn known<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Ability>, D::Error> {
    let words = Vec::<String>::deserialize(from)?;
    let ability = |word| serde_json::from_value(serde_json::Value::String(word)).ok();
    Ok(words.into_iter().filter_map(ability).collect())
}

/// Lines to judge, each by itself, in the same surroundings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeRequest {
    /// Comes back in the response.
    pub id: u64,
    /// `.version`
    pub ptx: Version,
    /// `.target`
    pub target: Target,
    /// `.address_size`: 32 or 64.
    pub address_size: u32,
    /// Whether code is to be generated as well.
    pub generate: bool,
    /// What stands between the directives of the module and the lines.
    pub declarations: String,
    /// The lines.
    pub lines: Vec<String>,
}

/// Cases to execute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExecuteRequest {
    /// Comes back in the response.
    pub id: u64,
    /// A module with an entry for each case that has a kernel; absent where the engine cannot run
    /// kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// The cases.
    pub cases: Vec<SentCase>,
}

/// A case to execute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentCase {
    /// The case as it is typed.
    pub case: Program,
    /// How to run it as PTX.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Kernel>,
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Response {
    /// The answer to the hello.
    Hello(About),
    /// What became of lines.
    Judged(Judged),
    /// What became of cases.
    Executed(Executed),
    /// The request with this id cannot be answered.
    Error(Failure),
}

/// What became of lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// That of the request.
    pub id: u64,
    /// One for each line, in order.
    pub outcomes: Vec<LineOutcome>,
}

/// What an engine says of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineOutcome {
    /// No complaint.
    Accepted,
    /// Refused, in the engine's words.
    Rejected(String),
    /// Not judged, and why.
    Skipped(String),
}

/// What became of cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executed {
    /// That of the request.
    pub id: u64,
    /// For each case, in order, what became of each of its rows.
    pub answers: Vec<Vec<Answer>>,
}

/// Why a request cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// That of the request.
    pub id: u64,
    /// In words.
    pub message: String,
}

impl Response {
    /// The id of the request that it answers; a hello has none.
    pub fn id(&self) -> Option<u64> {
        match self {
            Self::Hello(_) => None,
            Self::Judged(judged) => Some(judged.id),
            Self::Executed(executed) => Some(executed.id),
            Self::Error(failure) => Some(failure.id),
        }
    }
}
