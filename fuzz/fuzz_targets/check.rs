#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};
use ptx_exec::properties;

fuzz_target!(|bytes: &[u8]| {
    // If the bytes run out, there is no case to check.
    let _ = properties::any_file_is_checked(&mut Unstructured::new(bytes));
});
