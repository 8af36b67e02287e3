//! Whole files: which of their instructions are valid, and what is wrong with the others.
//!
//! A file is read once for its module scope, its labels and where its bodies are, and then body by body, in
//! parallel. Nothing is guessed: what is not judged is counted.

mod ascii;
mod body;
mod call_results;
mod counts;
mod diagnostic;
mod directives;
mod environments;
mod faults;
mod inlined;
mod meant;
mod module_names;
mod names;
mod samples;
mod smallest;
mod undeclared;

use rayon::prelude::*;

use crate::environment::AddressSize;
use crate::judge::Reading;
use crate::must::Must;
use crate::spec::{Instruction, Spec};
use crate::text::Module;
use body::{BodyChecker, CheckedBody};
use environments::ModuleEnvironments;

pub use counts::Counts;
pub use diagnostic::{CheckedDirective, CheckedLine, Details, Diagnostic, DiagnosticSeverity, SourcePart};
pub use environments::FileHeader;
pub use smallest::{Demand, HeaderStatement, SmallestHeader, smallest_header};

/// A remark on a judged line, such as that an engine does something else with it than the specification says.
pub type Remark<'s> = dyn Fn(&Instruction, &Reading) -> Option<String> + Sync + 's;

/// Checks files by a specification.
///
/// ```
/// use ptx_spec::check::Checker;
/// use ptx_spec::spec::Spec;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let spec = Spec::load("../../specs".as_ref()).map_err(|errors| errors[0].render(false))?;
/// let checker = Checker { spec: &spec, limit: 100, remark: None, tolerated: None, sample: false };
/// let file = checker.check(".version 8.0\n.target sm_90\n.entry k() { .reg .b32 %r<4>; mvo.u32 %r1, 1; ret; }");
///
/// assert_eq!((file.counts.valid, file.counts.invalid), (1, 1));
/// assert_eq!(file.diagnostics[0].message, "`mvo` is not an instruction of PTX");
/// assert_eq!(file.diagnostics[0].details(&spec).help.as_deref(), Some("did you mean `mov`?"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Checker<'s> {
    /// The specification.
    pub spec: &'s Spec,
    /// How many diagnostics of a file are kept; the others are only counted.
    pub limit: usize,
    /// The remark on each judged line, if there is one to make.
    pub remark: Option<&'s Remark<'s>>,
    /// The reason why an invalid line is only warned about, if it is: nobody has enforced the rules that it breaks so far.
    pub tolerated: Option<&'s Remark<'s>>,
    /// True to keep a sample of each kind of line, from which [`smallest_header`] follows.
    pub sample: bool,
}

/// The findings in a file.
#[derive(Clone, Debug)]
pub struct CheckedFile<'a> {
    /// The header of the file.
    pub header: FileHeader,
    /// How many instructions, statements and diagnostics there are of each kind.
    pub counts: Counts,
    /// The first diagnostics, in the order of the file.
    pub diagnostics: Vec<Diagnostic<'a>>,
    /// One line of each kind, in the order of the file, if they are to be kept.
    pub samples: Vec<CheckedLine<'a>>,
    /// One directive of each kind, in the order of the file, if they are to be kept.
    pub directives: Vec<CheckedDirective<'a>>,
    /// True if some of the file could not be judged: its version or target is not known, or some of its text was skipped.
    pub incomplete: bool,
}

impl<'a> CheckedFile<'a> {
    /// Adds warnings of somebody else. At most this many diagnostics are kept.
    pub fn warn(&mut self, warnings: Vec<Diagnostic<'a>>, limit: usize) {
        self.counts.warnings += u64::try_from(warnings.len()).must("what memory holds is counted in 64 bits");
        self.diagnostics.extend(warnings);
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.at.start);
        self.diagnostics.truncate(limit);
    }

    /// How many diagnostics were not kept.
    pub fn unkept(&self) -> u64 {
        let kept = u64::try_from(self.diagnostics.len()).must("what memory holds is counted in 64 bits");
        (self.counts.errors + self.counts.warnings).saturating_sub(kept)
    }

    /// The address size that the file has.
    pub fn address_size(&self) -> AddressSize {
        self.header.address_size
    }
}

impl<'s> Checker<'s> {
    /// Checks the text of a file.
    pub fn check<'a>(&self, text: &'a str) -> CheckedFile<'a>
    where
        's: 'a,
    {
        self.check_module(&Module::read(text, &self.spec.isa))
    }

    /// Checks a file that is read already. Reading one needs only the [`Isa`](crate::spec::Isa), and can be done while the
    /// specification is loaded.
    pub fn check_module<'a>(&self, module: &Module<'a>) -> CheckedFile<'a>
    where
        's: 'a,
    {
        let environments = ModuleEnvironments::new(self, module);
        let mut all = CheckedBody::of_module(self, module, &environments);
        let faults = std::mem::take(&mut all.faults);
        let check = |body| BodyChecker::new(self, module, body, environments.of(body.range.start), &faults).check();
        let bodies: Vec<CheckedBody<'a>> = module.bodies.par_iter().map(check).collect();
        bodies.into_iter().for_each(|body| all.add(body));
        // Those of the module stand between those of the bodies.
        all.diagnostics.sort_by_key(|diagnostic| diagnostic.at.start);
        all.diagnostics.truncate(self.limit);
        let incomplete = !environments.known() || module.cut.is_some() || all.counts.skipped > 0;
        CheckedFile {
            header: environments.header,
            counts: all.counts,
            diagnostics: all.diagnostics,
            samples: all.samples.into_lines(),
            directives: all.directives.into_all(),
            incomplete,
        }
    }
}
