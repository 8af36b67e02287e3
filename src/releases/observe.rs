//! What an assembler does: asked, and compared with what is listed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::ptxas::Ptxas;
use crate::engine::{Batch, Depth, LineJudge as _, Outcome, Unable};
use crate::environment::{AddressSize, Environment, Target, Version};
use crate::ptx::Scaffold;
use crate::spec::Isa;

/// A build of ptxas, and what it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseBuild {
    /// Its full version: `13.5.37`.
    pub ptxas: String,
    /// The newest PTX version that it takes.
    pub ptx: Version,
    /// The targets that it generates code for.
    pub code: Vec<Target>,
    /// The targets of its PTX version that it refuses as `.target`, even where no code is generated.
    pub refuses: Vec<Target>,
    /// True if it generates code for modules that say `.address_size 32`.
    pub code_32_bit: bool,
    /// True if it was asked now.
    pub asked: bool,
    /// True if it is not in the list, so that this is only what it does.
    pub unlisted: bool,
    /// The differences from what is listed, in words.
    pub differs: Vec<String>,
}

/// The reason why an assembler did not say what it does.
#[derive(Debug, thiserror::Error)]
#[error("ptxas {version} could not be asked for its targets: {why}")]
pub struct Unobserved {
    version: String,
    why: String,
}

impl ReleaseBuild {
    pub(super) fn new(ptxas: String, ptx: Version, code: Vec<Target>, refuses: Vec<Target>) -> Self {
        let (code_32_bit, asked, unlisted) = (false, false, false);
        Self { ptxas, ptx, code, refuses, code_32_bit, asked, unlisted, differs: Vec::new() }
    }

    /// The release of CUDA that it is of: `13.5`.
    pub(super) fn release(&self) -> String {
        self.ptxas.splitn(3, '.').take(2).collect::<Vec<_>>().join(".")
    }

    /// Asks an assembler: for its newest PTX version, and about each target.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn of(ptxas: &Ptxas, isa: &Isa) -> Result<Self, Unobserved> {
        let unobserved = |why: String| Unobserved { version: ptxas.version().to_owned(), why };
        let newest = ptxas.newest_ptx();
        let mut refuses = Vec::new();
        for (target, _) in isa.targets.iter().filter(|(_, since)| *since <= newest) {
            let environment = Environment { ptx: newest, target: *target, address_size: AddressSize::Bits64 };
            match ptxas.supports(&environment, Depth::Check) {
                Ok(()) => {}
                Err(Unable::Unsupported(_)) => refuses.push(*target),
                Err(Unable::Broken(why)) => return Err(unobserved(why)),
            }
        }
        let mut code = ptxas.code_targets().map_err(|error| unobserved(error.to_string()))?;
        let place = |target: &Target| isa.targets.iter().position(|(known, _)| known == target);
        code.sort_by_key(|target| (place(target).unwrap_or(usize::MAX), *target));
        let code_32_bit = match code.first() {
            Some(target) => generates_32_bit(ptxas, newest, *target).map_err(unobserved)?,
            None => false,
        };
        Ok(Self { asked: true, code_32_bit, ..Self::new(ptxas.version().to_owned(), newest, code, refuses) })
    }

    /// Notes what an observation of the same build has that this does not.
    pub(super) fn compare(&mut self, observed: &Self) {
        self.asked = true;
        let name = format!("ptxas {}", self.ptxas);
        if observed.ptx != self.ptx {
            self.differs.push(format!("{name} takes PTX up to {}, and is listed with {}", observed.ptx, self.ptx));
        }
        if observed.code_32_bit != self.code_32_bit {
            let does = if observed.code_32_bit { "generates code" } else { "generates no code" };
            self.differs.push(format!("{name} {does} for modules of 32 bits, and the opposite is listed"));
        }
        let pairs = [
            ("generates code for", &observed.code, &self.code),
            ("refuses as .target", &observed.refuses, &self.refuses),
        ];
        for (does, now, listed) in pairs {
            let without = |of: &[Target], others: &[Target]| {
                let left = of.iter().filter(|target| !others.contains(target)).map(Target::to_string);
                left.collect::<Vec<_>>().join(" ")
            };
            let (more, fewer) = (without(now, listed), without(listed, now));
            if !more.is_empty() {
                self.differs.push(format!("{name} {does} {more}, which is not listed"));
            }
            if !fewer.is_empty() {
                self.differs.push(format!("it is listed that {name} {does} {fewer}, and it does not"));
            }
        }
    }

    /// It as a row of `specs/toolchains/cuda.yaml`.
    pub fn row(&self) -> String {
        let list = |targets: &[Target]| targets.iter().map(Target::to_string).collect::<Vec<_>>().join(", ");
        let refuses =
            if self.refuses.is_empty() { String::new() } else { format!(", refuses: [{}]", list(&self.refuses)) };
        let bits = if self.code_32_bit { ", code-32-bit: true" } else { "" };
        format!("- {{ ptxas: {}, ptx: \"{}\", code: [{}]{refuses}{bits} }}", self.ptxas, self.ptx, list(&self.code))
    }
}

/// True if an assembler generates code for a module with addresses of 32 bits.
///
/// # Errors
/// If it does neither that nor refuse the module.
fn generates_32_bit(ptxas: &Ptxas, ptx: Version, target: Target) -> Result<bool, String> {
    let environment = Environment { ptx, target, address_size: AddressSize::Bits32 };
    let batch = Batch { environment, scaffold: Scaffold::default(), lines: vec!["ret;"], mostly_invalid: false };
    match ptxas.judge(&batch, Depth::Generate).into_iter().next() {
        Some(Outcome::Accepted) => Ok(true),
        Some(Outcome::Rejected(_)) => Ok(false),
        other => Err(format!("a module of 32 bits was {}", other.map_or("not answered", |of| of.word()))),
    }
}
