//! Gives the variables at module scope other names, so that cases which use the same names can share a module.

use std::collections::BTreeMap;

use super::declared::DeclaredNames;
use crate::line_case::{Holds, LineCase};
use ptx_spec::ptx::Lexer;

/// New names by old ones.
pub(super) type NewNames = BTreeMap<String, String>;

/// New names that begin with `prefix`, for all that statements at module scope declare; `None` if they declare
/// registers, whose names stay.
pub(super) fn new_names(module: &[DeclaredNames<'_>], prefix: &str) -> Option<NewNames> {
    let variables = module.iter().all(|statement| statement.space() != ".reg");
    let names = module.iter().flat_map(|statement| &statement.names);
    variables.then(|| names.map(|declared| (declared.name.to_owned(), format!("{prefix}{}", declared.name))).collect())
}

/// A case with other names in its texts, its variables and its inputs.
pub(super) fn renamed(case: &LineCase, names: &NewNames) -> LineCase {
    let mut other = case.clone();
    for text in [&mut other.declarations, &mut other.line] {
        *text = in_text(text, names);
    }
    let addresses = other.inputs.iter_mut().filter_map(|input| match &mut input.holds {
        Holds::Address { of, .. } => Some(of),
        _ => None,
    });
    let variables = other.variables.iter_mut().map(|variable| &mut variable.name);
    for name in addresses.chain(variables).chain(other.writes.iter_mut().flatten()) {
        if let Some(new) = names.get(name) {
            name.clone_from(new);
        }
    }
    other
}

/// The name that a case uses for what has this name in the module.
pub(super) fn old_name<'a>(names: &'a NewNames, new: &'a str) -> &'a str {
    names.iter().find(|(_, name)| *name == new).map_or(new, |(old, _)| old)
}

fn in_text(text: &str, names: &NewNames) -> String {
    let (mut new, mut done) = (String::with_capacity(text.len()), 0);
    for token in Lexer::new(text) {
        if let Some(name) = names.get(token.text) {
            // A token is a part of the text.
            let start = token.text.as_ptr().addr() - text.as_ptr().addr();
            new.push_str(&text[done..start]);
            new.push_str(name);
            done = start + token.text.len();
        }
    }
    new + &text[done..]
}
