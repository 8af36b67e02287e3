//! An engine's process: started, spoken to within limits, and ended.
//!
//! Its three streams are polled together, so that a full or silent one cannot block us: an engine that
//! reads nothing, writes nothing or never stops runs into a limit.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};

use crate::child::{Child, left};
use crate::words::{acts, visible};

/// How an engine failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EngineFault {
    /// It died, or wrote something that is not an answer; a message, and its last lines on stderr.
    Broke(String),
    /// It did not answer in time.
    Hung,
}

/// A process that speaks the protocol.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    to: Option<ChildStdin>,
    from: ChildStdout,
    errors: Option<ChildStderr>,
    /// Bytes that were read and not used yet.
    buffer: Vec<u8>,
    /// The length of the start of the buffer that has no line break.
    searched: usize,
    /// The end of its output on stderr.
    said: Vec<u8>,
    /// The most bytes of memory that it may hold.
    memory: u64,
}

/// How much of stderr is kept.
const SAID: usize = 4096;
/// How many of its lines are shown.
const SHOWN: usize = 3;
/// How much is read at once.
const CHUNK: usize = 1 << 16;
/// How long it may take to exit after it closed its output, or after it was told to.
const GRACE: Duration = Duration::from_millis(500);

/// How long a silent engine is assumed to be working, and how often its memory is looked at.
const PAUSE: Duration = Duration::from_millis(100);

impl Process {
    /// Starts the program, which may hold this much memory.
    pub(super) fn start(words: &[String], memory: u64) -> io::Result<Self> {
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Child::start(&mut command)?;
        let (Some(to), Some(from), Some(errors)) =
            (child.process.stdin.take(), child.process.stdout.take(), child.process.stderr.take())
        else {
            return Err(io::Error::other("it has no pipes"));
        };
        let (buffer, said) = (Vec::new(), Vec::new());
        let process = Self { child, to: Some(to), from, errors: Some(errors), buffer, searched: 0, said, memory };
        let streams = [process.to.as_ref().map(AsFd::as_fd), process.errors.as_ref().map(AsFd::as_fd)];
        for stream in streams.into_iter().flatten().chain([process.from.as_fd()]) {
            let flags = rustix::fs::fcntl_getfl(stream)?;
            rustix::fs::fcntl_setfl(stream, flags | rustix::fs::OFlags::NONBLOCK)?;
        }
        Ok(process)
    }

    /// Sends text, and reads this many lines of answers. Output before that, or beyond those lines, is a
    /// fault.
    pub(super) fn exchange(
        &mut self,
        send: &[u8],
        lines: usize,
        time: Duration,
        longest: usize,
    ) -> Result<Vec<Vec<u8>>, EngineFault> {
        let deadline = Instant::now() + time;
        let mut measured = Instant::now();
        let mut sent = 0;
        let mut taken = Vec::with_capacity(lines);
        if self.watch(false, Duration::ZERO)?.1 {
            self.read()?;
        }
        if !self.buffer.is_empty() {
            return Err(self.broke(&format!("it wrote before it was asked: {}", excerpt(&self.buffer))));
        }
        loop {
            if taken.len() == lines {
                if self.buffer.is_empty() {
                    return Ok(taken);
                }
                return Err(self.broke(&format!("it wrote more than was asked for: {}", excerpt(&self.buffer))));
            }
            let left = left(deadline);
            if left.is_zero() {
                return Err(EngineFault::Hung);
            }
            if measured.elapsed() >= PAUSE {
                self.within_memory()?;
                measured = Instant::now();
            }
            let (writable, readable) = self.watch(sent < send.len(), left.min(PAUSE))?;
            if !writable && !readable {
                // Its children may hold its output open, so they are killed with it.
                self.wait(Duration::ZERO);
            }
            if writable {
                sent += self.write(&send[sent..]);
            }
            if readable {
                let open = self.read()?;
                while taken.len() < lines
                    && let Some(line) = self.line()
                {
                    taken.push(line);
                }
                if self.buffer.len() > longest {
                    let start = excerpt(&self.buffer);
                    return Err(self.broke(&format!("it wrote a line of more than {longest} bytes: {start}")));
                }
                if !open && taken.len() < lines {
                    return Err(self.ended());
                }
            }
        }
    }

    /// Writes what it takes now; returns how much that is.
    fn write(&mut self, send: &[u8]) -> usize {
        match self.to.as_mut().map(|to| to.write(send)) {
            Some(Ok(written)) => written,
            Some(Err(error)) if again(&error) => 0,
            // It reads no more; its further output, or its exit code, tells why.
            _ => send.len(),
        }
    }

    /// A fault if it holds more memory than it may, with what it started.
    fn within_memory(&mut self) -> Result<(), EngineFault> {
        match self.child.memory() > self.memory {
            true => Err(self.broke(&format!("it used more than {} MiB of memory", self.memory >> 20))),
            false => Ok(()),
        }
    }

    /// Unsolicited output on stdout within this time.
    pub(super) fn unasked(&mut self, time: Duration) -> Vec<u8> {
        let deadline = Instant::now() + time;
        while self.buffer.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            let open = match self.watch(false, left) {
                Ok((_, true)) => self.read().unwrap_or(false),
                Ok(_) => true,
                Err(_) => false,
            };
            if left.is_zero() || !open {
                break;
            }
        }
        std::mem::take(&mut self.buffer)
    }

    /// Waits until it can be written to (if `write`) or read from, and says which. Collects stderr
    /// meanwhile.
    fn watch(&mut self, write: bool, time: Duration) -> Result<(bool, bool), EngineFault> {
        let mut polled = vec![PollFd::new(&self.from, PollFlags::IN)];
        let to: Option<BorrowedFd<'_>> = self.to.as_ref().filter(|_| write).map(AsFd::as_fd);
        polled.extend(to.map(|to| PollFd::from_borrowed_fd(to, PollFlags::OUT)));
        let errors: Option<BorrowedFd<'_>> = self.errors.as_ref().map(AsFd::as_fd);
        polled.extend(errors.map(|errors| PollFd::from_borrowed_fd(errors, PollFlags::IN)));
        let time = Timespec::try_from(time).ok();
        match rustix::event::poll(&mut polled, time.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(EngineFault::Broke(format!("its pipes cannot be polled: {error}"))),
        }
        let ready: Vec<bool> = polled.iter().map(|polled| !polled.revents().is_empty()).collect();
        let said = self.errors.is_some() && ready.last() == Some(&true);
        if said {
            self.listen();
        }
        Ok((write && ready.get(1) == Some(&true), ready.first() == Some(&true)))
    }

    /// Reads what is available; returns whether more can follow.
    fn read(&mut self) -> Result<bool, EngineFault> {
        let start = self.buffer.len();
        self.buffer.resize(start + CHUNK, 0);
        let read = self.from.read(&mut self.buffer[start..]);
        // What failed read nothing.
        self.buffer.truncate(start + read.as_ref().copied().unwrap_or(0));
        match read {
            Ok(read) => Ok(read > 0),
            Err(error) if again(&error) => Ok(true),
            Err(error) => Err(EngineFault::Broke(format!("its output cannot be read: {error}"))),
        }
    }

    /// The next complete line that was read.
    fn line(&mut self) -> Option<Vec<u8>> {
        let Some(end) = self.buffer[self.searched..].iter().position(|&byte| byte == b'\n') else {
            self.searched = self.buffer.len();
            return None;
        };
        let rest = self.buffer.split_off(self.searched + end + 1);
        self.searched = 0;
        Some(std::mem::replace(&mut self.buffer, rest))
    }

    /// Collects the output on stderr that is available now.
    fn listen(&mut self) {
        let mut chunk = [0; 4096];
        let Some(errors) = &mut self.errors else { return };
        match errors.read(&mut chunk) {
            Ok(0) => self.errors = None,
            Ok(read) => {
                self.said.extend_from_slice(&chunk[..read]);
                let over = self.said.len().saturating_sub(SAID);
                self.said.drain(..over);
            }
            Err(error) if again(&error) => {}
            Err(_) => self.errors = None,
        }
    }

    /// How it ended, once it closed its output.
    fn ended(&mut self) -> EngineFault {
        let half = match &self.buffer[..] {
            [] => String::new(),
            half => format!(", in the middle of the line {}", excerpt(half)),
        };
        let status = self.wait(GRACE);
        let how = match status.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => format!("it exited with code {code}"),
            Some((None, Some(signal))) => format!("signal {signal}"),
            _ => "it closed its output".to_owned(),
        };
        self.broke(&format!("{how}{half}"))
    }

    /// A fault, followed by its last lines on stderr.
    pub(super) fn broke(&mut self, what: &str) -> EngineFault {
        // Output from before the fault may still be on its way.
        while self.errors.is_some() {
            let before = self.said.len();
            self.listen();
            if self.said.len() == before || self.said.len() == SAID {
                break;
            }
        }
        let said = String::from_utf8_lossy(&self.said);
        let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(SHOWN)..];
        let words = [what].iter().chain(last).copied().collect::<Vec<&str>>().join("\n");
        EngineFault::Broke(visible(&words).into_owned())
    }

    /// How it ended, if it does within this time. Everything that it started is killed.
    fn wait(&mut self, time: Duration) -> Option<ExitStatus> {
        self.child.wait(time).ok().flatten()
    }

    /// Closes its input, which tells it to exit.
    pub(super) fn hang_up(&mut self) {
        self.to = None;
    }

    /// Closes its input; returns whether it exits by itself within this time.
    pub(super) fn close(&mut self, time: Duration) -> bool {
        self.hang_up();
        let deadline = Instant::now() + time;
        loop {
            // Unread output must not keep it from exiting.
            let read = self.read();
            self.listen();
            self.buffer.clear();
            let open = matches!(read, Ok(true));
            let pause = Duration::from_millis(if open { 2 } else { 20 });
            if self.wait(pause).is_some() {
                return true;
            }
            if deadline <= Instant::now() {
                return false;
            }
        }
    }
}

fn again(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// The start of what an engine wrote, for a message.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    quoted(bytes, 60)
}

/// The first line of a text, cut to `most` characters, in backticks.
pub(super) fn quoted(bytes: &[u8], most: usize) -> String {
    let some = &bytes[..bytes.len().min(4 * most)];
    let text = String::from_utf8_lossy(some);
    let line = text.lines().next().unwrap_or_default();
    let plain: String = line.chars().take(most).map(|c| if acts(c) { '\u{fffd}' } else { c }).collect();
    let whole = line.chars().count() <= most && some.len() == bytes.len();
    if whole { format!("`{plain}`") } else { format!("`{plain}…`") }
}
