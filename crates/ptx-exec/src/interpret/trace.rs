//! Which threads accessed a byte: what several access, of which one writes, depends on the order of threads, which nothing
//! decides. PTX ISA `memory-consistency-model`.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::stop::ThreadStop;
use crate::semantics::Operation;

/// The way in which a thread accesses bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessKind {
    /// The value is read.
    Load,
    /// The value is replaced.
    Store,
    /// The value is replaced by the result of an operation in one step, and nobody asks what it was.
    Reduction(Operation),
}

/// The accesses to a byte so far. The number of a thread is never 0.
#[derive(Clone, Copy, Debug, Default)]
struct ByteTrace {
    /// The thread that read it; `SEVERAL` if there are several.
    reader: u32,
    /// The thread that wrote it.
    writer: u32,
    /// The only operation that replaced it, and the thread; `SEVERAL` if there are several.
    reduction: Option<(Operation, u32)>,
}

/// A number that stands for several threads.
const SEVERAL: u32 = u32::MAX;

/// The number of bytes that are traced together.
const PAGE: usize = 64;

/// The accesses to the bytes of a region that several threads have in common: pages of it, by their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct RegionTrace(FxHashMap<usize, Box<[ByteTrace; PAGE]>>);

impl RegionTrace {
    /// Notes an access to some bytes of the region.
    ///
    /// # Errors
    /// If its result depends on the order of threads.
    pub(super) fn note(&mut self, access: Range<usize>, thread: u32, kind: AccessKind) -> Result<(), ThreadStop> {
        let mut start = access.start;
        while start < access.end {
            let page = start / PAGE;
            let end = access.end.min((page + 1) * PAGE);
            let traces = self.0.entry(page).or_insert_with(|| Box::new([ByteTrace::default(); PAGE]));
            if !traces[start % PAGE..][..end - start].iter_mut().all(|byte| byte.note(thread, kind)) {
                let why = "another thread accesses the same bytes, and nothing orders the two";
                return Err(ThreadStop::Undefined(why.to_owned()));
            }
            start = end;
        }
        Ok(())
    }
}

impl ByteTrace {
    /// Notes an access; false if its result depends on the order of threads.
    fn note(&mut self, thread: u32, kind: AccessKind) -> bool {
        let same = |other: u32| other == 0 || other == thread;
        let joined = |other: u32| if same(other) { thread } else { SEVERAL };
        let reducer = self.reduction.map_or(0, |(_, reducer)| reducer);
        match kind {
            AccessKind::Load => {
                self.reader = joined(self.reader);
                same(self.writer) && same(reducer)
            }
            AccessKind::Store => {
                self.writer = joined(self.writer);
                same(self.writer) && same(self.reader) && same(reducer)
            }
            AccessKind::Reduction(operation) => {
                let alike = same(reducer) || self.reduction.is_some_and(|(other, _)| other == operation);
                self.reduction = Some((operation, joined(reducer)));
                alike && (commutes(operation) || same(reducer)) && same(self.writer) && same(self.reader)
            }
        }
    }
}

/// True if the order of several such operations does not matter.
fn commutes(operation: Operation) -> bool {
    use Operation::{Add, And, Max, Min, Or, Xor};
    matches!(operation, Add | And | Max | Min | Or | Xor)
}

#[cfg(test)]
mod tests {
    use super::AccessKind::{Load, Reduction, Store};
    use super::*;

    #[test]
    fn what_depends_on_the_order_of_threads_is_noticed() {
        let (add, or, cas) =
            (Reduction(Operation::Add), Reduction(Operation::Or), Reduction(Operation::CompareAndSwap));
        for (accesses, ordered) in [
            (&[(1, Load), (2, Load), (3, Load)][..], true),
            (&[(1, Load), (1, Store), (1, Load), (1, add)], true),
            (&[(1, Store), (2, Load)], false),
            (&[(1, Load), (2, Store)], false),
            (&[(1, Load), (2, Load), (2, Store)], false),
            (&[(1, Store), (2, Store)], false),
            (&[(1, add), (2, add), (3, add)], true),
            (&[(1, add), (2, or)], false),
            (&[(1, cas), (2, cas)], false),
            (&[(1, cas), (1, cas)], true),
            (&[(1, add), (2, add), (1, Load)], false),
            (&[(1, Store), (2, add)], false),
        ] {
            let mut byte = ByteTrace::default();
            let found = accesses.iter().all(|(thread, kind)| byte.note(*thread, *kind));
            assert_eq!(found, ordered, "{accesses:?}");
        }
    }
}
