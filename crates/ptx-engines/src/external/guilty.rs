//! What is known of an engine that fails: the lines and rows on which it failed alone, and a question that it answered.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::batch::Work;
use super::process::EngineFault;

/// How often in a row an item must fail alone before its outcome is taken as known: each time costs a process, and the
/// search for a cause asks about the same items again and again.
const FAILED: u32 = 3;
/// The same if it hangs, which costs the whole time of a request.
const HUNG: u32 = 2;

/// The memory of an engine's failures.
#[derive(Debug, Default)]
pub(super) struct Guilt(Mutex<GuiltRecord>);

#[derive(Debug, Default)]
struct GuiltRecord {
    /// By the hash of the request for the item alone.
    items: FxHashMap<[u8; 32], KnownFault>,
    control: Option<ControlQuestion>,
}

/// The fault of an item that was asked about alone, and how often in a row.
#[derive(Clone, Debug)]
struct KnownFault {
    fault: EngineFault,
    times: u32,
}

impl KnownFault {
    /// True if the item need not be asked about again.
    fn is_certain(&self) -> bool {
        self.times >= if self.fault == EngineFault::Hung { HUNG } else { FAILED }
    }
}

/// The shortest request that was answered.
#[derive(Clone, Debug)]
pub(super) struct ControlQuestion {
    /// The id in it.
    pub(super) id: u64,
    /// The request, as a line.
    pub(super) line: Vec<u8>,
    /// How long the answer may take.
    pub(super) time: Duration,
}

/// The parts of a batch, in the order in which they are asked about.
pub(super) struct PartedRequests {
    /// The requests, and after them each item alone that is known to fail.
    pub(super) requests: Vec<Range<usize>>,
    /// How many of them are of known items.
    pub(super) known: usize,
}

impl Guilt {
    fn with<T>(&self, act: impl FnOnce(&mut GuiltRecord) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A request was answered.
    pub(super) fn answered(&self, id: u64, line: &[u8], time: Duration) {
        self.with(|record| {
            if record.control.as_ref().is_none_or(|control| control.line.len() > line.len()) {
                record.control = Some(ControlQuestion { id, line: line.to_vec(), time });
            }
        });
    }

    /// The question that tells an engine that fails on what it is asked from one that is broken.
    pub(super) fn control(&self) -> Option<ControlQuestion> {
        self.with(|record| record.control.clone())
    }

    /// An item failed alone. Returns whether that is new.
    pub(super) fn found<W: Work>(&self, work: &mut W, item: usize, fault: &EngineFault) -> bool {
        let Some(key) = key(work, item) else { return true };
        let hung = |fault: &EngineFault| *fault == EngineFault::Hung;
        self.with(|record| {
            let before = record.items.get(&key).filter(|known| hung(&known.fault) == hung(fault));
            let times = before.map_or(0, |known| known.times) + 1;
            record.items.insert(key, KnownFault { fault: fault.clone(), times }).is_none()
        })
    }

    /// An item that was known to fail alone was answered.
    pub(super) fn cleared(&self, key: &[u8; 32]) {
        self.with(|record| record.items.remove(key));
    }

    /// Parts off the items that are known to fail: they would take the others of their request with them. One that failed
    /// often enough is blamed at once.
    pub(super) fn part<W: Work>(&self, work: &mut W, requests: Vec<Range<usize>>) -> PartedRequests {
        if self.with(|record| record.items.is_empty()) {
            return PartedRequests { requests, known: 0 };
        }
        let (mut others, mut known) = (Vec::new(), Vec::new());
        for request in requests {
            let mut start = request.start;
            for item in request.clone() {
                let fault = key(work, item).and_then(|key| self.with(|record| record.items.get(&key).cloned()));
                let Some(fault) = fault else { continue };
                others.push(start..item);
                start = item + 1;
                match fault.is_certain() {
                    true => work.blame(item, &fault.fault),
                    false => known.push(item..start),
                }
            }
            others.push(start..request.end);
        }
        others.retain(|request| !request.is_empty());
        let known_items = known.len();
        others.extend(known);
        PartedRequests { requests: others, known: known_items }
    }
}

/// The key of an item, which tells it from all others: the hash of the request for it alone. None if there is nothing to ask,
/// or it was answered.
pub(super) fn key<W: Work>(work: &mut W, item: usize) -> Option<[u8; 32]> {
    // The id is the same for all.
    work.send(0, &(item..item + 1)).map(|line| blake3::hash(&line).into())
}
