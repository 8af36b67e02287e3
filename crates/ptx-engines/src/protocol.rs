//! The engine protocol: requests to an engine in another process, and its responses. Each is one JSON
//! object on one line; requests go to standard input, responses come from standard output.
//! `docs/protocol.md` describes it for authors of engines.

use serde::{Deserialize, Deserializer, Serialize};

use ptx_exec::kernel::Kernel;
use ptx_exec::kernel_case::{KernelAnswer, KernelBuffer, KernelLaunch};
use ptx_exec::line_case::{Answer, LineCase};
use ptx_spec::environment::{Target, Version};
use ptx_spec::ptx::Scaffold;

/// The version of the protocol. It changes only when correct engines would become incorrect; optional
/// fields are added without a new version.
pub const PROTOCOL: u32 = 1;

/// A request to an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// The first message.
    Hello(Hello),
    /// Lines to judge.
    Judge(JudgeRequest),
    /// Cases to execute.
    Execute(ExecuteRequest),
    /// Launches of a module.
    Launch(LaunchRequest),
}

/// The first message of the asking side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`]
    pub protocol: u32,
    /// `ptx-conform 0.1.0`
    pub tool: String,
}

/// The introduction of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// [`PROTOCOL`]
    pub protocol: u32,
    /// Letters, digits, `-` and `_`.
    pub name: String,
    /// Its version: numbers with dots between them.
    pub version: String,
    /// Its abilities; unknown ones are ignored.
    #[serde(deserialize_with = "known")]
    pub abilities: Vec<Ability>,
    /// The PTX versions it accepts; empty if any.
    #[serde(default)]
    pub ptx: Vec<Version>,
    /// The targets it accepts; empty if any.
    #[serde(default)]
    pub targets: Vec<Target>,
    /// More about its provenance: `device`, `driver` and the like.
    #[serde(default)]
    pub details: std::collections::BTreeMap<String, String>,
    /// A text that is another one whenever any answer may be another one, such as a hash of all that the engine is made of.
    /// Answers of an engine without one are not kept from run to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
}

/// An ability of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// It judges lines: parses and checks them.
    Judge,
    /// It generates code when judging.
    Generate,
    /// It judges directives and declarations outside of bodies as well, each in a module of its own.
    Directives,
    /// It executes cases as described: line, setup and rows.
    Cases,
    /// It executes kernels: modules of PTX with an interface.
    Kernels,
    /// It executes whole modules: their launches, on buffers.
    Modules,
}

/// The known abilities; later versions may have others.
fn known<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Ability>, D::Error> {
    let words = Vec::<String>::deserialize(from)?;
    let ability = |word| serde_json::from_value(serde_json::Value::String(word)).ok();
    Ok(words.into_iter().filter_map(ability).collect())
}

/// Lines to judge, each by itself, with the same declarations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeRequest {
    /// Repeated in the response.
    pub id: u64,
    /// `.version`
    pub ptx: Version,
    /// `.target`
    pub target: Target,
    /// `.address_size`: 32 or 64.
    pub address_size: u32,
    /// True to generate code as well.
    pub generate: bool,
    /// The text between the directives of the module and the lines.
    pub declarations: String,
    /// The lines.
    pub lines: Vec<String>,
    /// The module, if the one line is a directive outside of bodies: only engines with that ability are asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<SentModule>,
}

/// A module with a directive to judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentModule {
    /// The text of the module.
    pub text: String,
    /// The number of the text line with the directive, from 1.
    pub line: usize,
}

impl JudgeRequest {
    /// The scaffold of its lines; `None` if its module has no such line.
    pub(crate) fn scaffold(&self) -> Option<Scaffold> {
        match &self.module {
            Some(module) => Scaffold::around(&module.text, module.line).map(|(scaffold, _)| scaffold),
            None => Some(Scaffold::from_declarations(&self.declarations)),
        }
    }
}

/// Cases to execute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExecuteRequest {
    /// Repeated in the response.
    pub id: u64,
    /// A module with an entry for each case that has a kernel; absent if the engine cannot run kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// The cases.
    pub cases: Vec<SentCase>,
}

/// A case to execute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentCase {
    /// The case itself.
    pub case: LineCase,
    /// How to run it as PTX.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Kernel>,
}

/// Launches of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchRequest {
    /// Repeated in the response.
    pub id: u64,
    /// The text of the module.
    pub module: String,
    /// The cases; each is an execution of its own.
    pub cases: Vec<SentLaunches>,
}

/// A kernel case without the text of its module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentLaunches {
    /// The buffers in global memory before the first launch.
    pub buffers: Vec<KernelBuffer>,
    /// The launches, in order.
    pub launches: Vec<KernelLaunch>,
}

/// The response to a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Response {
    /// The answer to the hello.
    Hello(About),
    /// The outcomes of lines.
    Judged(Judged),
    /// The answers to cases.
    Executed(Executed),
    /// The answers to launches.
    Launched(LaunchAnswers),
    /// The request with this id cannot be answered.
    Error(Failure),
}

/// The outcomes of lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// The id of the request.
    pub id: u64,
    /// One for each line, in order.
    pub outcomes: Vec<LineOutcome>,
}

/// An engine's outcome for a line.
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

/// The answers to cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executed {
    /// The id of the request.
    pub id: u64,
    /// For each case, in order, the answer to each of its rows.
    pub answers: Vec<Vec<Answer>>,
}

/// The answers to launches of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchAnswers {
    /// The id of the request.
    pub id: u64,
    /// One for each case, in order.
    pub answers: Vec<KernelAnswer>,
}

/// The reason why a request cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The id of the request.
    pub id: u64,
    /// In words.
    pub message: String,
}

impl Response {
    /// The id of the request that it answers; `hello` has none.
    pub fn id(&self) -> Option<u64> {
        match self {
            Self::Hello(_) => None,
            Self::Judged(judged) => Some(judged.id),
            Self::Executed(executed) => Some(executed.id),
            Self::Launched(launched) => Some(launched.id),
            Self::Error(failure) => Some(failure.id),
        }
    }
}
