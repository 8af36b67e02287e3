//! The mutants of the model that the rows of a run of depth `choices` notice: at least one of its rows fails. They are those
//! that are wrong under one choice, as the depth has each choice and not each pair. A mutant that no row of the run shows
//! counts as missed, unless none of many rows under its condition shows it either.
//!
//! By default a few mutants of each form are tried; `-- --ignored` tries all of them.

use std::collections::{BTreeMap, BTreeSet};

use ptx_conform::campaign::{self, Options, Progress, RunDepth, Subject};
use ptx_conform::divergences::Divergences;
use rayon::prelude::*;

use crate::modelled_form::{FORMS, ModelledForm};
use crate::mutant::{self, Mutant};
use crate::shipped::SPEC;

/// The mutants of each form that are tried by default, those with the shortest conditions first.
const FEW: usize = 6;
/// Rows under the condition of a mutant that is not noticed, by which it is decided whether it is equivalent.
const DRAWN: usize = 1000;

/// What became of the mutants of an instruction.
#[derive(Default)]
struct Noticed {
    noticed: usize,
    /// Mutants that some row shows, but no row of a run, with how many of the rows drawn do.
    missed: Vec<String>,
    equivalent: Vec<String>,
}

impl Noticed {
    fn live(&self) -> usize {
        self.noticed + self.missed.len()
    }
}

/// The forms whose rows in a run show that these mutants, of different forms, are wrong.
fn noticed_of(mutants: &[(&ModelledForm, &Mutant)], options: &Options) -> BTreeSet<String> {
    let engine = mutant::engine(&SPEC, "mutant@1", mutants.iter().map(|(_, mutant)| (*mutant).clone()));
    let instructions: BTreeSet<&str> = mutants.iter().map(|(form, _)| form.instruction.as_str()).collect();
    let instructions = instructions.into_iter().map(str::to_owned).collect();
    let subjects = [Subject::executing(&engine, *SPEC.isa.versions.last().expect("versions"))];
    let (progress, options) = (Progress::default(), Options { instructions, ..options.clone() });
    let results = campaign::run(&SPEC, &Divergences::default(), &subjects, &options, &progress);
    let [result] = results.engines.as_slice() else { panic!("{:?}", results.absent) };
    result.tally.groups.keys().map(|key| key.form.clone()).collect()
}

/// Tries at most so many mutants of each form in runs with these options, and returns what became of them by instruction.
fn measure(most: usize, options: &Options) -> BTreeMap<&'static str, Noticed> {
    let part = std::env::var("MUTANT").unwrap_or_default();
    let mut rounds: Vec<Vec<(&ModelledForm, &Mutant)>> = Vec::new();
    for form in FORMS.iter() {
        let single = form.mutants.iter().filter(|mutant| mutant.when.len() <= 1);
        let chosen = single.filter(|mutant| mutant.to_string().contains(&part)).take(most);
        for (round, mutant) in chosen.enumerate() {
            rounds.resize_with(rounds.len().max(round + 1), Vec::new);
            rounds[round].push((form, mutant));
        }
    }
    let judged = |round: &Vec<(&'static ModelledForm, &'static Mutant)>| {
        let noticed = noticed_of(round, options);
        let of = |&(form, mutant): &(&'static ModelledForm, &'static Mutant)| {
            let failing = (!noticed.contains(&form.form.id)).then(|| {
                let alone = mutant::engine(&SPEC, "mutant@1", [mutant.clone()]);
                form.failing(&alone, &mutant.cube, DRAWN).len()
            });
            (form.instruction.as_str(), mutant.to_string(), failing)
        };
        round.iter().map(of).collect::<Vec<_>>()
    };
    let mut found: BTreeMap<&str, Noticed> = BTreeMap::new();
    for (instruction, mutant, failing) in rounds.par_iter().map(judged).collect::<Vec<_>>().into_iter().flatten() {
        let of = found.entry(instruction).or_default();
        match failing {
            None => of.noticed += 1,
            Some(0) => of.equivalent.push(mutant),
            Some(failing) => of.missed.push(format!("{mutant}: {failing} of {DRAWN} drawn rows fail")),
        }
    }
    found
}

fn check(most: usize) {
    let found = measure(most, &Options::at(RunDepth::Choices));
    for (instruction, of) in &found {
        let (noticed, live, equivalent) = (of.noticed, of.live(), of.equivalent.len());
        println!("{instruction}: {noticed} of {live}, {equivalent} equivalent");
        of.missed.iter().for_each(|missed| println!("    missed {missed}"));
        of.equivalent.iter().for_each(|mutant| println!("    equivalent {mutant}"));
    }
    let (noticed, live) = found.values().fold((0, 0), |(noticed, live), of| (noticed + of.noticed, live + of.live()));
    println!("a run notices {noticed} of {live} mutants");
    if std::env::var_os("MUTANT").is_none() {
        assert!(noticed * 100 >= live * 98, "a run notices {noticed} of {live} mutants");
    }
}

#[test]
fn mutants_are_noticed() {
    check(FEW);
}

#[test]
#[ignore = "it takes minutes"]
fn all_mutants_are_noticed() {
    check(usize::MAX);
}
