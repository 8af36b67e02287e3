//! Inline assembly as the text of `explain`.

use std::collections::BTreeSet;

use anyhow::anyhow;
use ptx_conform::environment::Environment;
use ptx_conform::inline::PastedAsm;
use ptx_conform::ptx::Lexer;

/// A text of PTX that was pasted, perhaps as inline assembly.
#[derive(Default)]
pub(super) struct PastedText {
    /// Its PTX text.
    pub(super) text: String,
    /// The declarations of its operands.
    operands: String,
    /// The words on what was done with it, if it is inline assembly.
    pub(super) says: Option<String>,
    /// True if what its operands are is chosen here.
    pub(super) is_chosen: bool,
}

impl PastedText {
    /// A text that is no inline assembly.
    pub(super) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    fn new(asm: &PastedAsm, environment: &Environment) -> Self {
        Self { text: asm.text(), operands: asm.declarations(environment.address_size), ..Self::default() }
    }

    /// The names of its operands.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        Lexer::new(&self.operands).map(|token| token.text).collect()
    }

    /// Declarations of other names with those of its operands; without these, if it declares one of them itself.
    pub(super) fn declared(&self, others: &str) -> String {
        let operands = self.names();
        let is_operand = |name: &str| name.starts_with(['%', '$']) && operands.contains(name);
        match Lexer::new(others).any(|token| is_operand(token.text)) {
            true => others.to_owned(),
            false => format!("{others} {}", self.operands).trim().to_owned(),
        }
    }
}

/// The PTX text of inline assembly, and what its operands are; none of a text that is plain PTX. What the text does not say
/// of its operands is chosen so that the fewest statements are wrong, of which `wrong` has the texts.
///
/// # Errors
/// If it is a statement that cannot be judged.
pub(super) fn read(
    text: &str,
    environment: &Environment,
    wrong: impl Fn(&PastedText) -> Vec<String>,
) -> anyhow::Result<Option<PastedText>> {
    let Some(read) = PastedAsm::read(text) else { return Ok(None) };
    let asm = read.map_err(|why| anyhow!("this inline assembly is not judged: {why}"))?;
    let asm = asm.chosen(|asm| wrong(&PastedText::new(asm, environment)));
    let what = match (asm.is_statement, asm.is_unquoted) {
        (true, _) => "a statement of inline assembly",
        (false, true) => "the text of inline assembly, without quotes, escapes and doubled signs",
        (false, false) => "the text of inline assembly",
    };
    let operands = asm.operands(environment.address_size).map_or(String::new(), |operands| match asm.is_statement {
        true => format!("; its constraints say {operands}"),
        false => format!("; judged with {operands}"),
    });
    let (says, is_chosen) = (Some(format!("{what}{operands}")), !asm.is_statement && !operands.is_empty());
    Ok(Some(PastedText { says, is_chosen, ..PastedText::new(&asm, environment) }))
}
