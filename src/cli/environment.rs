//! The environment that a command is about: PTX version, target and address size.

use anyhow::bail;

use ptx_conform::environment::{AddressSize, Environment, Suffix, Target, Version};
use ptx_conform::spec::Isa;

/// The environment of a module, as far as it was given.
#[derive(Debug, clap::Args)]
pub(crate) struct EnvironmentOpts {
    /// PTX version [default: the newest].
    #[arg(long, value_name = "VERSION")]
    ptx: Option<Version>,
    /// Target [default: the newest plain target of the PTX version].
    #[arg(long, value_name = "TARGET")]
    target: Option<Target>,
    /// Address size, 32 or 64 [default: 64 if the PTX version has it].
    #[arg(long, value_name = "BITS")]
    address_size: Option<AddressSize>,
}

impl EnvironmentOpts {
    /// True if anything was given.
    pub(crate) fn given(&self) -> bool {
        self.ptx.is_some() || self.target.is_some() || self.address_size.is_some()
    }

    /// True if a target was given.
    pub(crate) fn names_target(&self) -> bool {
        self.target.is_some()
    }

    /// The environment; whatever was not given is the newest.
    pub(crate) fn resolve(&self, isa: &Isa) -> anyhow::Result<Environment> {
        let (Some(&newest), Some(&(first, _))) = (isa.versions.last(), isa.targets.first()) else {
            bail!("isa.yaml has no version or no target");
        };
        let ptx = self.ptx.unwrap_or(newest);
        if !isa.versions.contains(&ptx) {
            bail!("PTX {ptx} is not in isa.yaml, whose newest version is {newest}");
        }
        let plain = |(target, since): &&(Target, Version)| target.suffix == Suffix::Plain && *since <= ptx;
        let target = self.target.or_else(|| isa.targets.iter().rfind(plain).map(|(target, _)| *target));
        let target = target.unwrap_or(first);
        if !isa.targets.iter().any(|(known, _)| *known == target) {
            let known: Vec<String> = isa.targets.iter().map(|(target, _)| target.to_string()).collect();
            bail!("{target} is not in isa.yaml, which has {}", known.join(" "));
        }
        let widest = if ptx < AddressSize::SINCE { AddressSize::Bits32 } else { AddressSize::Bits64 };
        Ok(Environment { ptx, target, address_size: self.address_size.unwrap_or(widest) })
    }
}
