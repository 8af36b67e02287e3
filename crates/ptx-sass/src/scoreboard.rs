//! Results that arrive late: loads and other long operations return before their results are there. An instruction
//! raises one of six barriers until its results have arrived, and a later one waits for barriers before it begins. Both
//! stand in the upper bits of each word.

use crate::registers::Destination;
use ptx_exec::value::Bits;

/// The barriers in the word of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Synchronization {
    /// The barriers that must be clear before it begins, a bit each, even if its guard is false.
    pub waits: u8,
    /// The barrier that is raised until its results have arrived.
    pub raises: Option<u8>,
    /// The barrier that is raised until its sources have been read. A predicate that says what kind of address it was
    /// given arrives with it.
    pub reads: Option<u8>,
}

impl Synchronization {
    /// The barriers of a word.
    #[expect(clippy::cast_possible_truncation, reason = "fields of at most 6 bits, the others are masked")]
    pub fn of(word: u128) -> Self {
        let field = |at: u32, bits: u32| (word >> at) as u8 & ((1 << bits) - 1);
        // 7 is no barrier.
        let barrier = |at: u32| Some(field(at, 3)).filter(|barrier| *barrier < 7);
        Self { waits: field(116, 6), raises: barrier(110), reads: barrier(113) }
    }
}

/// The barriers with which late results arrive; without one they never do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateArrival {
    /// The barrier of results in registers.
    pub registers: Option<u8>,
    /// The barrier of results in predicates.
    pub predicates: Option<u8>,
    /// The unit that it comes from, if that returns results in order: they are there once later ones of the unit are.
    pub in_order: Option<OrderedUnit>,
}

/// A unit that returns results in order: `ptxas` raises a barrier only for the last of several, and waits for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderedUnit {
    /// Conversions, counts of bits, approximations.
    Conversions,
    /// Loads and atomic operations in shared memory, and shuffles.
    SharedMemory,
}

/// The results of a thread that have not arrived. Until then, their destinations are undefined.
#[derive(Clone, Debug, Default)]
pub(crate) struct LateResults {
    /// The oldest first.
    results: Vec<LateResult>,
    /// How many instructions had late results.
    instructions: u64,
    /// The barriers that are raised, a bit each.
    pub(crate) raised: u8,
    /// When the results of the instruction that is running arrive, if it is one of those.
    running: Option<LateArrival>,
}

#[derive(Clone, Copy, Debug)]
struct LateResult {
    /// The number of its instruction.
    instruction: u64,
    /// The barrier that is raised for it, or for a later one of a unit with results in order; without one it never
    /// arrives.
    barrier: Option<u8>,
    in_order: Option<OrderedUnit>,
    to: Destination,
    value: Bits,
}

impl LateResults {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.results.clear();
        (self.raised, self.running) = (0, None);
    }

    /// Takes the state of others.
    pub(crate) fn copy_from(&mut self, from: &Self) {
        self.results.clear();
        self.results.extend_from_slice(&from.results);
        (self.instructions, self.raised, self.running) = (from.instructions, from.raised, from.running);
    }

    /// An instruction whose results are late begins.
    #[inline]
    pub(crate) fn begin(&mut self, arrival: LateArrival) {
        self.instructions += 1;
        self.running = Some(arrival);
        if let LateArrival { registers: Some(barrier), in_order: Some(unit), .. } = arrival {
            let earlier = |result: &&mut LateResult| result.in_order == Some(unit) && result.barrier.is_none();
            for earlier in self.results.iter_mut().filter(earlier) {
                (earlier.instruction, earlier.barrier) = (self.instructions, Some(barrier));
                self.raised |= 1 << barrier;
            }
        }
    }

    /// It has done all that it does.
    #[inline]
    pub(crate) fn end(&mut self) {
        self.running = None;
    }

    /// The part of a result that can be seen for now: all of it, or nothing if it arrives later.
    #[inline]
    pub(crate) fn held_back(&mut self, to: Destination, value: Bits) -> Bits {
        match self.running {
            None => value,
            Some(arrival) => self.hold_back(arrival, to, value),
        }
    }

    fn hold_back(&mut self, arrival: LateArrival, to: Destination, value: Bits) -> Bits {
        let (width, barrier) = match to {
            Destination::Register(_) => (32, arrival.registers),
            Destination::Predicate(_) => (1, arrival.predicates),
        };
        self.raised |= barrier.map_or(0, |barrier| 1 << barrier);
        let (instruction, in_order) = (self.instructions, arrival.in_order);
        self.results.push(LateResult { instruction, barrier, in_order, to, value });
        Bits::UNDEFINED.zero_extended(width)
    }

    /// Gives what has arrived once at most `left` of the instructions that raised these barriers are not done, in order.
    pub(crate) fn arrive(&mut self, barriers: u8, left: usize, mut write: impl FnMut(Destination, Bits)) {
        let bit = |result: &LateResult| result.barrier.map_or(0, |barrier| 1 << barrier);
        let mut waiting: Vec<u64> = Vec::new();
        if left > 0 {
            waiting.extend(self.results.iter().filter(|of| bit(of) & barriers != 0).map(|of| of.instruction));
            waiting.dedup();
        }
        let last = match left {
            0 => u64::MAX,
            // Nothing arrives while fewer are waiting than may be left.
            _ => waiting.len().checked_sub(left).map_or(0, |at| waiting[at]),
        };
        self.raised = 0;
        self.results.retain(|result| {
            let arrives = bit(result) & barriers != 0 && result.instruction < last;
            if arrives {
                write(result.to, result.value)
            } else {
                self.raised |= bit(result)
            }
            !arrives
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::Register;

    #[test]
    fn a_word_says_what_it_waits_for() {
        let of = |waits: u128, raises: u128| {
            Synchronization::of(waits << 116 | 2 << 113 | raises << 110 | 0x918 | 0xfff << 96)
        };
        assert_eq!(of(0b10_0001, 7), Synchronization { waits: 0b10_0001, raises: None, reads: Some(2) });
        assert_eq!(of(0, 5), Synchronization { waits: 0, raises: Some(5), reads: Some(2) });
    }

    #[test]
    fn results_arrive_in_order_with_their_barrier() {
        let register = |index: u8| Destination::Register(Register { index, ..Register::ZERO });
        let mut late = LateResults::default();
        for (first, barrier) in [(10, Some(0)), (20, Some(3)), (30, None), (40, Some(0)), (50, Some(0))] {
            late.begin(LateArrival { registers: barrier, predicates: None, in_order: None });
            for to in [first, first + 1] {
                assert_eq!(late.held_back(register(to), Bits::ZERO), Bits::UNDEFINED.zero_extended(32));
            }
            late.end();
            assert_eq!(late.held_back(register(first), Bits::ZERO), Bits::ZERO, "of an instruction that is not late");
        }
        let mut arrive = |barriers: u8, left: usize| {
            let mut arrived = Vec::new();
            late.arrive(barriers, left, |to, _| arrived.push(to));
            (arrived, late.raised)
        };
        let both = |first: u8| [register(first), register(first + 1)];
        assert_eq!(arrive(1, 4), (vec![], 0b1001));
        assert_eq!(arrive(1, 1), ([both(10), both(40)].concat(), 0b1001));
        assert_eq!(arrive(1, 1), (vec![], 0b1001), "one instruction more");
        assert_eq!(arrive(0b11_1111, 0), ([both(20), both(50)].concat(), 0), "one without a barrier never arrives");
    }

    #[test]
    fn results_in_order_are_there_once_a_later_one_is() {
        let register = |index: u8| Destination::Register(Register { index, ..Register::ZERO });
        let (unit, other) = (Some(OrderedUnit::Conversions), Some(OrderedUnit::SharedMemory));
        let mut late = LateResults::default();
        for (index, registers, in_order) in [
            (1, None, unit),
            (2, None, None),
            (3, Some(4), other),
            (4, Some(5), unit),
            (5, None, unit),
            (6, None, other),
        ] {
            late.begin(LateArrival { registers, predicates: None, in_order });
            late.held_back(register(index), Bits::ZERO);
            late.end();
        }
        let mut arrived = Vec::new();
        late.arrive(0b11_1111, 0, |to, _| arrived.push(to));
        assert_eq!(arrived, [1, 3, 4].map(register));

        // It need not have a result itself.
        late.begin(LateArrival { registers: Some(2), predicates: None, in_order: unit });
        late.end();
        assert_eq!(late.raised, 0b100);
        late.arrive(0b100, 0, |to, _| arrived.push(to));
        assert_eq!(arrived, [1, 3, 4, 5].map(register));
    }
}
