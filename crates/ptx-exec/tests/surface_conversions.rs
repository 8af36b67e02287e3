//! Conversions into the components of samples, compared with what a GPU stored.

use ptx_exec::object::Format;

/// A GPU is asked about whatever the manual does not say, so each of its answers is what the model must say; a NaN stays some
/// NaN.
#[test]
fn components_are_what_a_gpu_stores() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/surface-conversions-of-an-h200.csv");
    let text = std::fs::read_to_string(path).expect("the measured conversions are there");
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut count = 0;
    for row in rows {
        let [format, source, stored] = row.split(',').collect::<Vec<_>>()[..] else { panic!("`{row}`") };
        let component = format.parse::<Format>().expect("a format").component;
        let source = u32::from_str_radix(source, 16).expect("32 bits");
        let stored = u32::from_str_radix(stored, 16).expect("a component");
        let converted = component.converted(source);
        let half_nan = |bits: u32| format == "f16" && bits & 0x7fff > 0x7c00;
        let agrees = converted == stored || (half_nan(converted) && half_nan(stored));
        assert!(agrees, "{row}: {converted:x}");
        count += 1;
    }
    assert!(count > 2000, "{count} conversions");
}
