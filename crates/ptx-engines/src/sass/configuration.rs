//! The machine code that is asked for: a target, and options of the assembler.

use std::fmt;
use std::str::FromStr;

use ptx_sass::target::MachineTarget;

/// A target, and options of the assembler that must not change what a kernel computes. Each is an engine of its own, so that
/// they are compared with each other: `sass` is sm_90 at the default level, `sass-sm_80-O0` another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The target.
    pub target: MachineTarget,
    /// The level of optimization, 0 to 3.
    level: u8,
    /// The most registers of a thread (`--maxrregcount`); the assembler's choice by default.
    registers: Option<u8>,
    /// How much registers count against speed (`--register-usage-level`), 0 to 10; the assembler's choice by default.
    usage: Option<u8>,
}

/// The level of optimization without an option.
const DEFAULT_LEVEL: u8 = 3;

impl Default for Configuration {
    fn default() -> Self {
        Self { target: MachineTarget::SM_90, level: DEFAULT_LEVEL, registers: None, usage: None }
    }
}

/// The least registers that the assembler lets a thread have.
const LEAST_REGISTERS: u8 = 16;
/// The highest level of `--register-usage-level`.
const MOST_USAGE: u8 = 10;

impl Configuration {
    /// A target at a level of optimization, 0 to 3.
    pub fn new(target: MachineTarget, level: u8) -> Self {
        Self { target, level: level.min(DEFAULT_LEVEL), ..Self::default() }
    }

    /// All targets, each at the default level and without optimization.
    pub fn all() -> impl Iterator<Item = Self> {
        MachineTarget::ALL
            .into_iter()
            .flat_map(|target| [DEFAULT_LEVEL, 0].map(|level| Self { target, level, ..Self::default() }))
    }

    /// True if the code waits for late results with barriers: without optimization it does not, and waits in other ways.
    pub(super) fn waits(self) -> bool {
        self.level > 0
    }

    /// The level of optimization, 0 to 3.
    pub fn level(self) -> u8 {
        self.level
    }

    /// True if it changes how many registers the assembler uses.
    pub fn limits_registers(self) -> bool {
        self.registers.is_some() || self.usage.is_some()
    }

    /// The options of the assembler.
    pub fn options(&self) -> Vec<String> {
        let mut options = vec!["-arch".to_owned(), self.target.name.to_owned(), format!("-O{}", self.level)];
        options.extend(self.registers.map(|registers| format!("--maxrregcount={registers}")));
        options.extend(self.usage.map(|usage| format!("--register-usage-level={usage}")));
        options
    }
}

impl fmt::Display for Configuration {
    /// The family of the engine: `sass`, `sass-sm_80`, `sass-O0`, `sass-sm_80-O0`, `sass-r24`, `sass-sm_80-O1-r24-u10`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sass")?;
        if self.target != MachineTarget::SM_90 {
            write!(f, "-{}", self.target.name)?;
        }
        let level = (self.level != DEFAULT_LEVEL).then_some(self.level);
        let options = [("O", level), ("r", self.registers), ("u", self.usage)];
        options.into_iter().try_for_each(|(option, value)| value.map_or(Ok(()), |value| write!(f, "-{option}{value}")))
    }
}

/// The reason why a name is not the name of a [`Configuration`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an engine: write sass, sass-TARGET, sass-O0 or sass-TARGET-O0, and after that -rN for at most N registers \
     ({LEAST_REGISTERS} to 255) or -uN for a register usage level (0 to {MOST_USAGE}); targets are {targets}",
    targets = MachineTarget::ALL.map(|target| target.name).join(", ")
)]
pub struct ConfigurationError(String);

impl FromStr for Configuration {
    type Err = ConfigurationError;

    fn from_str(family: &str) -> Result<Self, ConfigurationError> {
        let error = || ConfigurationError(family.to_owned());
        let mut words = family.split('-');
        let mut configuration = Self::default();
        if words.next() != Some("sass") {
            return Err(error());
        }
        for word in words {
            let number = |option, least, most| -> Option<u8> {
                word.strip_prefix(option)?.parse().ok().filter(|number| (least..=most).contains(number))
            };
            if let Some(level) = number('O', 0, DEFAULT_LEVEL) {
                configuration.level = level;
            } else if let Some(registers) = number('r', LEAST_REGISTERS, u8::MAX) {
                configuration.registers = Some(registers);
            } else if let Some(usage) = number('u', 0, MOST_USAGE) {
                configuration.usage = Some(usage);
            } else {
                configuration.target = MachineTarget::named(word).ok_or_else(error)?;
            }
        }
        // One name for each.
        if configuration.to_string() == family { Ok(configuration) } else { Err(error()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_has_one_name() {
        for name in ["sass", "sass-sm_80", "sass-O0", "sass-sm_120-O1", "sass-r16", "sass-sm_80-O1-r255-u0"] {
            assert_eq!(name.parse::<Configuration>().map(|of| of.to_string()), Ok(name.to_owned()));
        }
        for name in [
            "sass-",
            "sass-sm_90",
            "sass-O3",
            "sass-O4",
            "sass-O0-sm_80",
            "sass-sm_50",
            "ptxas",
            "sass-r15",
            "sass-u11-r16",
            "sass-u11",
        ] {
            assert!(name.parse::<Configuration>().is_err_and(|why| why.to_string().contains("sm_120")), "{name}");
        }
        assert_eq!(Configuration::all().count(), 14);
    }
}
