//! The support matrix of the real `ptxas`.

use libtest_mimic::{Failed, Trial};
use ptx_conform::campaign::{Progress, Subject};
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::toolchain::Installed;
use ptx_conform::matrix::{MatrixQuery, Standing, Survey};
use ptx_conform::properties::Shipped;
use ptx_conform::releases::{ReleaseBuild, ReleaseTable};

use super::{Tested, real, same};
use crate::installed::tested;

pub(crate) fn trials() -> Vec<Trial> {
    let toolchains = tested();
    if toolchains.is_empty() {
        return vec![real::missing("matrix")];
    }
    let trials = |toolchain: Installed| {
        let (version, same) = (toolchain.version.clone(), toolchain.clone());
        let features = move || features_are_as_the_manual(&toolchain);
        [
            Trial::test(format!("matrix::{version}"), features),
            Trial::test(format!("releases::{version}"), move || it_does_what_is_listed(&same)),
        ]
    };
    toolchains.into_iter().flat_map(trials).collect()
}

/// A few features, and what is observed of them by CUDA 11 and by the newest version.
fn features_are_as_the_manual(toolchain: &Installed) -> Tested {
    let spec = &Shipped::get().spec;
    let ptxas = Ptxas::open(&toolchain.path)?;
    let recent = toolchain.version.to_string().starts_with("13.");
    let later = if recent { Standing::Same } else { Standing::Beyond };
    for (query, standing) in
        [("add.rn.ftz.f32x2", later), ("ld.L2::evict_last", later), ("ld.global.L2::cache_hint", Standing::Same)]
    {
        let query = MatrixQuery::read(spec, query)?;
        let (mut survey, answers) = Survey::by_queries(spec, std::slice::from_ref(&query));
        let subject = Subject::judging(&ptxas, ptxas.newest_ptx());
        survey.observe(&Divergences::default(), &subject, &Progress::default())?;
        let at =
            answers.first().and_then(|answer| answer.exact.first()).ok_or_else(|| Failed::from("nothing has it"))?;
        let seen = &survey.matrix().features[*at].observed[0];
        same(&format!("{} in {}", query.text, toolchain.version), seen.verdict, standing)?;
    }
    Ok(())
}

/// Its newest PTX version and its targets are those of `specs/toolchains/cuda.yaml`.
fn it_does_what_is_listed(toolchain: &Installed) -> Tested {
    let isa = &Shipped::get().spec.isa;
    let mut table = ReleaseTable::load(None, isa).map_err(|errors| errors[0].render(false))?;
    table.observe(ReleaseBuild::of(&Ptxas::open(&toolchain.path)?, isa)?, isa);
    same("what differs", table.differences().collect::<Vec<_>>(), Vec::new())?;
    let asked: Vec<&ReleaseBuild> = table.builds().filter(|build| build.asked).collect();
    same("builds that are listed", asked.iter().filter(|build| !build.unlisted).count(), 1)
}
