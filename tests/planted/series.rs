//! A property, on a fixed series of random bytes: what a test tries depends on neither the clock nor luck. `cargo fuzz` tries others.

use arbtest::{arbitrary, arbtest};

/// Checks a property on random bytes, of few bytes and of many. Panics, after the seed has been printed, if it does not hold, and if
/// it could not be tried with most of them.
pub(crate) fn holds(property: impl Fn(&mut arbitrary::Unstructured<'_>) -> arbitrary::Result<()>, cases: u32) {
    let mut tried = 0;
    for case in 1..=cases {
        let size = 32 << (case % 12);
        // An odd factor, so that the first bytes of neighbours differ.
        let random = u64::from(case.wrapping_mul(0x9E37_79B9));
        let attempt = |bytes: &mut arbitrary::Unstructured<'_>| {
            // Too few bytes are no failure.
            tried += u32::from(property(bytes).is_ok());
            Ok(())
        };
        arbtest(attempt).seed(random << 32 | size).run();
    }
    assert!(tried > cases / 2, "tried with {tried} of {cases}");
}
