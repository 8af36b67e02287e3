//! The machine code that is asked for: a target, and how much it is optimized.

use std::fmt;
use std::str::FromStr;

use ptx_sass::target::MachineTarget;

/// A target and a level of optimization. Each is an engine of its own, so that they are compared with each other:
/// `sass` is sm_90 at the default level, `sass-sm_80-O0` another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The target.
    pub target: MachineTarget,
    /// 0 to 3.
    level: u8,
}

/// The level of optimization without an option.
const DEFAULT_LEVEL: u8 = 3;

impl Default for Configuration {
    fn default() -> Self {
        Self { target: MachineTarget::SM_90, level: DEFAULT_LEVEL }
    }
}

impl Configuration {
    /// All targets, each at the default level and without optimization.
    pub fn all() -> impl Iterator<Item = Self> {
        MachineTarget::ALL.into_iter().flat_map(|target| [DEFAULT_LEVEL, 0].map(|level| Self { target, level }))
    }

    /// True if the code waits for late results with barriers: without optimization it does not, and waits in other ways.
    pub(super) fn waits(self) -> bool {
        self.level > 0
    }

    /// The options of the assembler.
    pub(super) fn options(&self) -> [String; 3] {
        ["-arch".to_owned(), self.target.name.to_owned(), format!("-O{}", self.level)]
    }
}

impl fmt::Display for Configuration {
    /// The family of the engine: `sass`, `sass-sm_80`, `sass-O0`, `sass-sm_80-O0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sass")?;
        if self.target != MachineTarget::SM_90 {
            write!(f, "-{}", self.target.name)?;
        }
        if self.level != DEFAULT_LEVEL { write!(f, "-O{}", self.level) } else { Ok(()) }
    }
}

/// The reason why a name is not the name of a [`Configuration`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an engine: write sass, sass-TARGET, sass-O0 or sass-TARGET-O0; targets are {targets}",
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
            match word.strip_prefix('O').and_then(|level| level.parse().ok()).filter(|level| *level <= 3) {
                Some(level) => configuration.level = level,
                None => configuration.target = MachineTarget::named(word).ok_or_else(error)?,
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
        for name in ["sass", "sass-sm_80", "sass-O0", "sass-sm_120-O1"] {
            assert_eq!(name.parse::<Configuration>().map(|of| of.to_string()), Ok(name.to_owned()));
        }
        for name in ["sass-", "sass-sm_90", "sass-O3", "sass-O4", "sass-O0-sm_80", "sass-sm_50", "ptxas"] {
            assert!(name.parse::<Configuration>().is_err_and(|why| why.to_string().contains("sm_120")), "{name}");
        }
        assert_eq!(Configuration::all().count(), 14);
    }
}
