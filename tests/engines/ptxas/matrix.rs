//! The support matrix of the real `ptxas`.

use libtest_mimic::{Failed, Trial};
use ptx_conform::campaign::{Progress, Subject};
use ptx_conform::divergences::Divergences;
use ptx_conform::engine::ptxas::Ptxas;
use ptx_conform::engine::toolchain::Installed;
use ptx_conform::matrix::{MatrixQuery, Standing, Survey};
use ptx_conform::properties::Shipped;

use super::{Tested, real, same};
use crate::installed::tested;

pub(crate) fn trials() -> Vec<Trial> {
    let toolchains = tested();
    if toolchains.is_empty() {
        return vec![real::missing("matrix")];
    }
    let trial = |toolchain: Installed| {
        Trial::test(format!("matrix::{}", toolchain.version), move || features_are_as_the_manual(&toolchain))
    };
    toolchains.into_iter().map(trial).collect()
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
