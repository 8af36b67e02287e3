//! The worker processes: started, asked, watched, and replaced.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::child::Child;
use crate::scratch::{Scratch, ScratchFolder};
use ptx_spec::must::Must as _;

use super::LaunchLimits;
use super::about::DeviceFacts;
use super::error::GpuError;
use super::messages::{WorkerOrder, WorkerReport};

/// The most bytes of the driver's cache.
const CACHE: &str = "268435456";
/// How long to wait for a worker to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// The result of an order.
pub(super) enum WorkerEnd {
    /// The worker's report.
    WorkerReport(WorkerReport),
    /// The worker ended without a report; says how.
    Lost(String),
    /// The worker did not answer in time.
    OutOfTime,
}

/// A worker process.
pub(super) struct WorkerProcess {
    child: Child,
    orders: ChildStdin,
    reports: Receiver<Result<WorkerReport, String>>,
    /// True once its orders gave it a module; then the position of its case.
    pub(super) loaded: bool,
    /// See `loaded`.
    pub(super) case: Option<usize>,
}

impl WorkerProcess {
    /// Starts a worker and orders it to find the device.
    fn start(cache: &Path) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["engine", "serve", "gpu", "--worker"]);
        // Errors must appear when the module is loaded.
        command.env("CUDA_CACHE_PATH", cache).env("CUDA_MODULE_LOADING", "EAGER");
        // Whatever else is set, the workers of a server share what it had compiled.
        command.env_remove("CUDA_CACHE_DISABLE").env("CUDA_CACHE_MAXSIZE", CACHE);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = Child::start(&mut command)?;
        let (Some(orders), Some(output)) = (child.process.stdin.take(), child.process.stdout.take()) else {
            return Err(io::Error::other("a worker without pipes"));
        };
        let (to, reports) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let said = line.map_err(|error| error.to_string());
                let said = said.and_then(|line| serde_json::from_str(&line).map_err(|error| error.to_string()));
                if to.send(said).is_err() {
                    break;
                }
            }
        });
        let mut worker = Self { child, orders, reports, loaded: false, case: None };
        worker.tell(&WorkerOrder::Start)?;
        Ok(worker)
    }

    fn tell(&mut self, order: &WorkerOrder) -> io::Result<()> {
        let mut line = serde_json::to_vec(order)?;
        line.push(b'\n');
        self.orders.write_all(&line)
    }

    /// Its next report.
    pub(super) fn listen(&mut self, limit: Duration) -> WorkerEnd {
        match self.reports.recv_timeout(limit) {
            Ok(Ok(report)) => WorkerEnd::WorkerReport(report),
            Ok(Err(rubbish)) => WorkerEnd::Lost(format!("it sent something that is not a report: {rubbish}")),
            Err(RecvTimeoutError::Timeout) => WorkerEnd::OutOfTime,
            Err(RecvTimeoutError::Disconnected) => WorkerEnd::Lost(self.fate()),
        }
    }

    /// Its first report on an order.
    pub(super) fn ask(&mut self, order: &WorkerOrder, limit: Duration) -> WorkerEnd {
        // If it has ended, that is noticed when its report is read.
        let _ = self.tell(order);
        self.listen(limit)
    }

    fn fate(&mut self) -> String {
        match self.child.wait(FAREWELL) {
            Ok(Some(status)) => status.to_string(),
            Ok(None) => "it closed its output".to_owned(),
            Err(error) => error.to_string(),
        }
    }
}

/// The active worker, and a spare one.
pub(super) struct Crew {
    pub(super) limits: LaunchLimits,
    /// The driver's cache of compiled modules: it is empty at first, because the compiler is tested and not a cache. A worker
    /// that continues after a trap then need not compile again.
    cache: ScratchFolder,
    worker: Option<WorkerProcess>,
    spare: Option<WorkerProcess>,
}

impl Crew {
    /// Nobody yet.
    ///
    /// # Errors
    /// If there is no place for what is compiled.
    pub(super) fn new(limits: LaunchLimits) -> io::Result<Self> {
        let cache = Scratch::open_on_disk()?.folder()?;
        Ok(Self { limits, cache, worker: None, spare: None })
    }

    /// Starts a worker that finds the device.
    ///
    /// # Errors
    /// If something is missing.
    pub(super) fn start(&mut self) -> Result<DeviceFacts, GpuError> {
        let waiting = self.spare.take().map(Ok);
        let mut worker = waiting.unwrap_or_else(|| WorkerProcess::start(self.cache.path())).map_err(GpuError::Start)?;
        match worker.listen(self.limits.other) {
            WorkerEnd::WorkerReport(WorkerReport::Started(facts)) => {
                self.worker = Some(worker);
                Ok(facts)
            }
            WorkerEnd::WorkerReport(WorkerReport::Failed(missing)) => Err(GpuError::Worker(missing)),
            WorkerEnd::WorkerReport(other) => Err(GpuError::Sent(format!("{other:?}"))),
            WorkerEnd::Lost(how) => Err(GpuError::Died(how)),
            WorkerEnd::OutOfTime => Err(GpuError::Hung),
        }
    }

    /// The active worker.
    pub(super) fn worker(&mut self) -> Result<&mut WorkerProcess, GpuError> {
        if self.worker.is_none() {
            self.start()?;
        }
        Ok(self.worker.as_mut().must("a worker that was started is the active one"))
    }

    /// Dismisses the worker, which died or must end. Where one dies, others will, so a spare is started
    /// now.
    pub(super) fn dismiss(&mut self) {
        self.worker = None;
        if self.spare.is_none() {
            // If this fails, the error is reported when a worker is needed.
            self.spare = WorkerProcess::start(self.cache.path()).ok();
        }
    }

    /// Forgets the worker's module and case before the next request.
    pub(super) fn forget(&mut self) {
        if let Some(worker) = &mut self.worker {
            (worker.loaded, worker.case) = (false, None);
        }
    }
}
