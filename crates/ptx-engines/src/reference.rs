//! The engine `model`: the specification and the reference model, run as an engine.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{BufRead, Write};
use std::sync::Arc;

use super::protocol::{Ability, About, ExecuteRequest, JudgeRequest, Judged, LaunchRequest, PROTOCOL, SentLaunches};
use super::reading::{BatchReader, Unread};
use super::serve::{self, ServeError, Served};
use super::{Batch, CaseExecutor, Depth, Engine, EngineId, EngineIdError, KernelExecutor, LineJudge, Outcome, Unable};
use ptx_exec::interpret::Interpreter;
use ptx_exec::kernel_case::{KernelAnswer, KernelCase};
use ptx_exec::line_case::{Answer, LineCase};
use ptx_exec::model;
use ptx_spec::environment::Environment;
use ptx_spec::judge::{Judge, UNKNOWN_OPCODE};
use ptx_spec::must::Must;
use ptx_spec::ptx::Line;
use ptx_spec::spec::{Spec, Verdict};

/// Judges by the specification, and executes by the reference model.
#[derive(Clone, Debug)]
pub struct Reference<'a> {
    spec: &'a Spec,
    id: EngineId,
}

impl<'a> Reference<'a> {
    /// The engine of a specification.
    ///
    /// # Errors
    /// If the version of this package is not a valid engine version.
    pub fn new(spec: &'a Spec) -> Result<Self, EngineIdError> {
        Ok(Self { spec, id: EngineId::new("model", env!("CARGO_PKG_VERSION"))? })
    }

    fn outcome(&self, reader: &BatchReader<'_, '_>, environment: &Environment, line: &str) -> Outcome {
        match reader.read(line) {
            Err(Unread::Text(why)) => Outcome::Rejected(why),
            Err(Unread::NoInstruction(line)) => self.without_instruction(&line),
            Ok((instruction, reading)) => match reading.rules(instruction).next() {
                None => Outcome::Accepted,
                Some(rule) => Outcome::Rejected(format!("{}: {} ({environment})", rule.id, rule.says)),
            },
        }
    }

    /// The outcome of a line of no instruction: the specification refuses it if it has every one.
    fn without_instruction(&self, line: &Line<'_>) -> Outcome {
        let none = self.spec.no_instruction(line).must("a line that is not read is of no instruction");
        match none.verdict() {
            Verdict::Invalid => Outcome::Rejected(format!("{UNKNOWN_OPCODE}: {none}")),
            Verdict::Valid | Verdict::Unknown => Outcome::Skipped(none.to_string()),
        }
    }
}

impl Engine for Reference<'_> {
    fn id(&self) -> &EngineId {
        &self.id
    }

    fn details(&self) -> BTreeMap<String, String> {
        [("specification".to_owned(), self.spec.fingerprint.clone())].into()
    }

    fn as_judge(&self) -> Option<&dyn LineJudge> {
        Some(self)
    }

    fn as_executor(&self) -> Option<&dyn CaseExecutor> {
        Some(self)
    }

    fn as_kernel_executor(&self) -> Option<&dyn KernelExecutor> {
        Some(self)
    }
}

impl LineJudge for Reference<'_> {
    fn supports(&self, environment: &Environment, depth: Depth) -> Result<(), Unable> {
        if depth == Depth::Generate {
            return Err(Unable::Unsupported("the model does not generate code".to_owned()));
        }
        Judge::new(self.spec, environment).map(drop).map_err(|why| Unable::Unsupported(why.to_string()))
    }

    fn judge(&self, batch: &Batch<'_>, depth: Depth) -> Vec<Outcome> {
        let skipped = |why: String| vec![Outcome::Skipped(why); batch.lines.len()];
        if let Err(why) = self.supports(&batch.environment, depth) {
            return skipped(why.to_string());
        }
        match BatchReader::new(self.spec, batch) {
            Err(why) => skipped(why),
            Ok(reader) => batch.lines.iter().map(|line| self.outcome(&reader, &batch.environment, line)).collect(),
        }
    }
}

impl CaseExecutor for Reference<'_> {
    fn executes(&self, environment: &Environment) -> Result<(), Unable> {
        self.supports(environment, Depth::Check)
    }

    fn execute(&self, cases: &[LineCase]) -> Vec<Vec<Answer>> {
        let answers = |case: &LineCase| {
            model::answers(self.spec, case)
                .unwrap_or_else(|why| vec![Answer::Skipped(why.to_string()); case.rows.len()])
        };
        cases.iter().map(answers).collect()
    }
}

impl KernelExecutor for Reference<'_> {
    fn execute_kernels(&self, cases: &[KernelCase]) -> Vec<KernelAnswer> {
        Interpreter::new(self.spec).execute_all(cases)
    }
}

/// Speaks the engine protocol.
///
/// # Errors
/// If the other side does not.
pub fn serve(spec: &Spec, input: impl BufRead, output: impl Write) -> Result<(), ServeError> {
    serve::serve(Reference::new(spec)?, input, output)
}

impl Served for Reference<'_> {
    type Error = Infallible;

    fn hello(&mut self) -> Result<About, Self::Error> {
        Ok(About {
            protocol: PROTOCOL,
            name: self.id.family().to_owned(),
            version: self.id.version().to_owned(),
            abilities: vec![Ability::Judge, Ability::Directives, Ability::Cases, Ability::Modules],
            ptx: self.spec.isa.versions.clone(),
            targets: self.spec.isa.targets.iter().map(|(target, _)| *target).collect(),
            details: self.details(),
            build: None,
        })
    }

    fn judge(&mut self, asked: JudgeRequest) -> Result<Judged, Self::Error> {
        Ok(serve::judged(self, asked))
    }

    fn execute(&mut self, asked: &ExecuteRequest) -> Result<Vec<Vec<Answer>>, Self::Error> {
        let cases: Vec<LineCase> = asked.cases.iter().map(|case| case.case.clone()).collect();
        Ok(CaseExecutor::execute(self, &cases))
    }

    fn launch(&mut self, asked: LaunchRequest) -> Result<Vec<KernelAnswer>, Self::Error> {
        let module: Arc<str> = asked.module.into();
        let case =
            |of: SentLaunches| KernelCase { module: Arc::clone(&module), buffers: of.buffers, launches: of.launches };
        Ok(self.execute_kernels(&asked.cases.into_iter().map(case).collect::<Vec<_>>()))
    }
}
