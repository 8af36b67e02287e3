//! The releases of CUDA: the shipped table answers what people ask, and a ptxas that does something else is a difference.

use ptx_conform::divergences::{Divergences, EngineVersion};
use ptx_conform::environment::Target;
use ptx_conform::releases::ReleaseTable;

use crate::shipped::SPEC;

fn table() -> ReleaseTable {
    ReleaseTable::load(None, &SPEC.isa).unwrap_or_else(|errors| panic!("{}", errors[0].render(false)))
}

fn target(name: &str) -> Target {
    name.parse().expect("a target")
}

/// Which release brought a PTX version, with which driver; and which stopped to generate code for a target.
#[test]
fn it_says_what_a_release_brought_and_dropped() {
    let table = table();
    let with = |ptx: &str| table.releases.iter().find(|release| release.ptx.to_string() == ptx).expect("a release");
    assert_eq!((with("8.7").cuda.as_deref(), with("8.7").driver), (Some("12.8"), Some(570)));
    assert_eq!((with("1.5").cuda.as_deref(), with("1.5").driver), (None, Some(190)));
    assert_eq!(with("8.8").new_targets.len(), 9);
    let dropping = |name: &str| {
        let found = table.releases.iter().find(|release| release.code_removed.contains(&target(name)));
        found.and_then(|release| release.cuda.as_deref())
    };
    assert_eq!(
        [dropping("sm_35"), dropping("sm_50"), dropping("sm_101a"), dropping("sm_90")],
        [Some("12.0"), Some("13.0"), Some("13.0"), None]
    );
}

/// Each PTX version of the specification is that of some release, in order; but the manual's table lacks one that every
/// assembler takes.
#[test]
fn it_has_every_ptx_version_in_order() {
    let table = table();
    let mut versions: Vec<_> = table.releases.iter().map(|release| release.ptx).collect();
    assert!(versions.is_sorted(), "{versions:?}");
    versions.dedup();
    let lacks = SPEC.isa.versions.iter().filter(|version| !versions.contains(version)).map(ToString::to_string);
    assert_eq!(lacks.collect::<Vec<_>>(), ["5.1"]);
    assert!(versions.iter().all(|version| SPEC.isa.versions.contains(version)), "{versions:?}");
    let brought = table.releases.iter().map(|release| release.new_targets.len());
    assert_eq!(brought.sum::<usize>(), SPEC.isa.targets.len());
}

#[test]
fn it_agrees_with_the_list_of_divergences_about_the_newest_version() {
    let divergences = Divergences::load(None, &SPEC).expect("the list is sound");
    let mut compared = 0;
    for build in table().builds() {
        let engine = EngineVersion::parse(&format!("ptxas@{}", build.ptxas)).expect("a version");
        assert_eq!(divergences.newest_ptx(&engine), Some(build.ptx), "{}", build.ptxas);
        compared += 1;
    }
    assert!(compared > 10, "{compared} builds");
}

#[test]
fn a_build_that_does_something_else_differs() {
    let mut table = table();
    let listed = table.builds().last().expect("builds").clone();
    table.observe(listed.clone(), &SPEC.isa);
    assert_eq!(table.differences().count(), 0);
    let mut other = listed;
    let lacks = other.code.pop().expect("a target");
    other.refuses.clear();
    other.code_32_bit = true;
    table.observe(other, &SPEC.isa);
    let differences: Vec<&str> = table.differences().collect();
    assert_eq!(
        differences,
        [
            "ptxas 13.5.37 generates code for modules of 32 bits, and the opposite is listed".to_owned(),
            format!("it is listed that ptxas 13.5.37 generates code for {lacks}, and it does not"),
            "it is listed that ptxas 13.5.37 refuses as .target sm_101a sm_101f, and it does not".to_owned(),
        ]
    );
}

#[test]
fn a_build_of_a_release_that_is_not_listed_is_a_row_of_its_own() {
    let mut table = table();
    let mut next = table.builds().last().expect("builds").clone();
    next.ptxas = "13.6.1".to_owned();
    let removed = next.code.remove(0);
    table.observe(next, &SPEC.isa);
    assert_eq!(table.differences().count(), 0);
    let last = table.releases.last().expect("releases");
    assert_eq!((last.cuda.as_deref(), &last.code_removed[..]), (Some("13.6"), &[removed][..]));
    assert!(last.builds[0].unlisted && last.driver.is_none());
}
