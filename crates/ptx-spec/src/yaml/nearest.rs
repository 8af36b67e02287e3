//! The word that a misspelt one was probably meant to be.

/// The distance between a misspelt word and a candidate, if the candidate is near enough. Case does not count.
pub fn near(word: &str, candidate: &str) -> Option<usize> {
    let distance = strsim::osa_distance(&word.to_lowercase(), &candidate.to_lowercase());
    (distance <= 1 + word.chars().count() / 3).then_some(distance)
}

/// The candidate nearest to a misspelt word, if one is near enough; the first of several.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = candidates.into_iter().filter_map(|candidate| Some((near(word, candidate)?, candidate)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}
