//! The engine's answer to `hello`: which PTX a driver and a device accept.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::protocol::{Ability, About, PROTOCOL};
use crate::ptxas::Ptxas;
use ptx_spec::environment::{Suffix, Target, Version};
use ptx_spec::spec::Isa;

use super::driver::{self, Device};

/// A device and its driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DeviceFacts {
    /// The device's name.
    device: String,
    /// Major times ten and minor: 90.
    capability: u16,
    /// The CUDA version of the driver: 13000 for 13.0.
    driver: i32,
}

/// The newest PTX version of each CUDA version since.
const NEWEST: [(i32, Version); 17] = [
    (11_070, Version { major: 7, minor: 7 }),
    (11_080, Version { major: 7, minor: 8 }),
    (12_000, Version { major: 8, minor: 0 }),
    (12_010, Version { major: 8, minor: 1 }),
    (12_020, Version { major: 8, minor: 2 }),
    (12_030, Version { major: 8, minor: 3 }),
    (12_040, Version { major: 8, minor: 4 }),
    (12_050, Version { major: 8, minor: 5 }),
    (12_070, Version { major: 8, minor: 6 }),
    (12_080, Version { major: 8, minor: 7 }),
    (12_090, Version { major: 8, minor: 8 }),
    (13_000, Version { major: 9, minor: 0 }),
    (13_010, Version { major: 9, minor: 1 }),
    (13_020, Version { major: 9, minor: 2 }),
    (13_030, Version { major: 9, minor: 3 }),
    (13_040, Version { major: 9, minor: 4 }),
    (13_050, Version { major: 9, minor: 5 }),
];

impl DeviceFacts {
    pub(super) fn of(device: &Device) -> Self {
        Self { device: device.name.clone(), capability: device.capability, driver: device.version }
    }

    /// The newest PTX version that the driver accepts, as far as known.
    fn newest(&self) -> Version {
        let known = NEWEST.iter().rev().find(|(since, _)| *since <= self.driver);
        known.unwrap_or(&NEWEST[0]).1
    }

    /// True if the driver can compile a module of this target for the device.
    fn targets(&self, target: Target) -> bool {
        match target.suffix {
            Suffix::Plain => target.sm <= self.capability,
            Suffix::Family => target.sm <= self.capability && target.sm / 10 == self.capability / 10,
            Suffix::Exact => target.sm == self.capability,
        }
    }

    /// Checks that the driver can compile a module.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub(super) fn takes(&self, ptx: Version, target: Target) -> Result<(), String> {
        let newest = self.newest();
        if ptx > newest {
            return Err(format!("a driver of CUDA {} accepts PTX up to {newest}", driver::dotted(self.driver)));
        }
        if !self.targets(target) {
            return Err(format!("{} is {}: it does not accept {target}", self.device, self.plain()));
        }
        Ok(())
    }

    /// The target that a binary for the device is made for.
    pub(super) fn binary(&self, target: Target) -> Target {
        if target.suffix == Suffix::Plain { self.plain() } else { Target { sm: self.capability, ..target } }
    }

    fn plain(&self) -> Target {
        Target { sm: self.capability, suffix: Suffix::Plain }
    }

    /// As an answer to `hello`: with an assembler, that of an engine which executes the assembler's machine code.
    pub(super) fn about(&self, isa: &Isa, assembler: Option<&Ptxas>) -> About {
        let driver = driver::dotted(self.driver);
        let mut details = BTreeMap::from([
            ("compute_capability".to_owned(), format!("{}.{}", self.capability / 10, self.capability % 10)),
            ("device".to_owned(), self.device.clone()),
            ("driver".to_owned(), format!("CUDA {driver}")),
            ("tool".to_owned(), concat!("ptx-conform ", env!("CARGO_PKG_VERSION")).to_owned()),
        ]);
        if let Some(module) = kernel_module() {
            details.insert("kernel_module".to_owned(), module);
        }
        let executes = [Ability::Kernels, Ability::Modules];
        let (name, version, newest, abilities) = match assembler {
            // The driver's compiler always generates code.
            None => ("gpu", driver, self.newest(), [&[Ability::Judge, Ability::Generate], &executes[..]].concat()),
            Some(ptxas) => ("sass-gpu", ptxas.version().to_owned(), ptxas.newest_ptx(), executes.to_vec()),
        };
        let taken = |target: Target| match assembler {
            None => self.targets(target),
            // What an assembler makes for other targets is not what it would make for theirs.
            Some(_) => target.sm == self.capability && self.targets(target),
        };
        let targets = isa.targets.iter().filter(|(target, since)| *since <= newest && taken(*target));
        About {
            protocol: PROTOCOL,
            name: name.to_owned(),
            version,
            abilities,
            ptx: isa.versions.iter().copied().filter(|ptx| *ptx <= newest).collect(),
            targets: targets.map(|(target, _)| *target).collect(),
            details,
            build: None,
        }
    }
}

/// The version of the driver's kernel module, such as 580.95.05.
fn kernel_module() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let digits = |word: &&str| word.contains('.') && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.lines().next()?.split_whitespace().find(digits).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(driver: i32, capability: u16) -> DeviceFacts {
        DeviceFacts { device: "H200".to_owned(), capability, driver }
    }

    #[test]
    fn the_newest_ptx_is_that_of_the_driver() {
        for (driver, ptx) in
            [(11_070, "7.7"), (12_050, "8.5"), (12_060, "8.5"), (12_080, "8.7"), (13_000, "9.0"), (99_000, "9.5")]
        {
            assert_eq!(facts(driver, 90).newest().to_string(), ptx, "{driver}");
        }
    }

    #[test]
    fn a_device_takes_older_targets_and_its_own() {
        let takes = |capability, target: &str| {
            let target = target.parse().expect("a target");
            facts(13_000, capability).takes(Version { major: 9, minor: 0 }, target).is_ok()
        };
        for (capability, target, taken) in [
            (90, "sm_20", true),
            (90, "sm_90", true),
            (90, "sm_90a", true),
            (90, "sm_100", false),
            (103, "sm_90a", false),
            (103, "sm_100f", true),
            (103, "sm_100a", false),
            (120, "sm_100f", false),
        ] {
            assert_eq!(takes(capability, target), taken, "{target} on {capability}");
        }
        assert!(
            facts(13_000, 90).takes(Version { major: 9, minor: 1 }, Target { sm: 90, suffix: Suffix::Plain }).is_err()
        );
    }

    #[test]
    fn it_lists_versions_and_targets_known_to_both_specification_and_driver() {
        let specs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs");
        let spec = ptx_spec::spec::Spec::load(std::path::Path::new(specs)).expect("the specification is sound");
        let about = facts(12_080, 90).about(&spec.isa, None);
        assert_eq!((about.name.as_str(), about.version.as_str()), ("gpu", "12.8"));
        assert_eq!(about.ptx.last().map(ToString::to_string).as_deref(), Some("8.7"));
        let has = |target: &str| about.targets.iter().any(|known| known.to_string() == target);
        assert!(has("sm_90") && has("sm_90a") && has("sm_20") && !has("sm_100") && !has("sm_100a"));
    }
}
