//! A headless Chromium. It is told what to do in messages of its DevTools protocol, which are JSON with a zero byte
//! behind each. They go through pipes, so no port is open, and it ends with the tests, however they end.
//!
//! The libraries for this take 94 packages, with a client for HTTP and TLS to build them, for what is here.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long the browser may take for an answer, and a condition to become true. No test waits for time to pass.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Usual names of the browser.
const NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

/// The browser that PTX_CONFORM_CHROMIUM names, or one with a usual name.
pub(crate) fn find() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("PTX_CONFORM_CHROMIUM") {
        return Some(path.into());
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// A running browser.
pub(crate) struct Chromium {
    process: Child,
    orders: Mutex<ChildStdin>,
    heard: Arc<Mutex<Heard>>,
    calls: AtomicU64,
    /// It is removed when the browser has ended.
    _profile: TempDir,
}

/// What is waited for, and what came.
#[derive(Default)]
struct Heard {
    /// Who waits for the answer to each call. None once the browser has ended.
    waiting: Option<BTreeMap<u64, Sender<Value>>>,
    /// Events, by session.
    events: BTreeMap<String, Vec<Value>>,
}

impl Chromium {
    pub(crate) fn start(path: &Path) -> Result<Self, Failed> {
        let profile = tempfile::tempdir()?;
        // It reads from 3 and writes to 4. What it says beside that is about the machine and not about pages.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1"])
            .arg(path)
            .args([
                "--headless",
                "--remote-debugging-pipe",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args(["--hide-scrollbars", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND"])
            // The root of a container has no sandbox, and these pages are our own.
            .arg("--no-sandbox")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (orders, answers) = (process.stdin.take(), process.stdout.take());
        let (Some(orders), Some(answers)) = (orders, answers) else { return Err("both are pipes".into()) };
        let heard = Arc::new(Mutex::new(Heard { waiting: Some(BTreeMap::new()), events: BTreeMap::new() }));
        let hearing = Arc::clone(&heard);
        std::thread::spawn(move || {
            for message in BufReader::new(answers).split(0) {
                let message = message.ok().and_then(|message| serde_json::from_slice(&message).ok());
                let (Some(message), Ok(mut heard)) = (message, hearing.lock()) else { break };
                heard.take(message);
            }
            if let Ok(mut heard) = hearing.lock() {
                // Whoever waits now hears that there is no answer.
                heard.waiting = None;
            }
        });
        let calls = AtomicU64::new(1);
        let browser = Self { process, orders: Mutex::new(orders), heard, calls, _profile: profile };
        browser.call("", "Browser.getVersion", json!({}))?;
        Ok(browser)
    }

    /// The result of a method; without a session, of the browser as a whole.
    pub(crate) fn call(&self, session: &str, method: &str, parameters: Value) -> Result<Value, Failed> {
        let id = self.calls.fetch_add(1, Ordering::Relaxed);
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if !session.is_empty() {
            message["sessionId"] = session.into();
        }
        let (answer, answered) = channel();
        let gone = || Failed::from(format!("{method}: the browser has ended"));
        self.heard.lock().map_err(|_| gone())?.waiting.as_mut().ok_or_else(gone)?.insert(id, answer);
        let mut text = message.to_string().into_bytes();
        text.push(0);
        self.orders.lock().map_err(|_| gone())?.write_all(&text)?;
        let mut answer =
            answered.recv_timeout(PATIENCE).map_err(|why| format!("{method}: no answer of the browser: {why}"))?;
        match answer.get("error") {
            Some(error) => Err(format!("{method}: {error}").into()),
            None => Ok(answer["result"].take()),
        }
    }

    /// The events of a session since this was last asked.
    pub(crate) fn events(&self, session: &str) -> Vec<Value> {
        self.heard.lock().ok().and_then(|mut heard| heard.events.remove(session)).unwrap_or_default()
    }
}

impl Heard {
    fn take(&mut self, message: Value) {
        let id = message["id"].as_u64();
        match id.and_then(|id| self.waiting.as_mut()?.remove(&id)) {
            // Nobody hears an answer that came too late.
            Some(waiting) => drop(waiting.send(message)),
            None => {
                if let Some(session) = message["sessionId"].as_str() {
                    self.events.entry(session.to_owned()).or_default().push(message);
                }
            }
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // If it does not end by itself, it is killed.
        let _ = self.call("", "Browser.close", json!({}));
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(5) {
            if matches!(self.process.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
