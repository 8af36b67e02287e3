#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};
use ptx_exec::properties;

fuzz_target!(|bytes: &[u8]| {
    // Bytes that run out make no case.
    let _ = properties::breach_is_judged_invalid(&mut Unstructured::new(bytes));
});
