//! Lines that were measured: their text, their types, and the results.

use ptx_exec::line_case::LineCase;
use ptx_exec::value::FloatFormat;

/// A line whose results are known, or hashes of them.
pub(crate) struct MeasuredLine<'t> {
    /// The opcode with its modifiers.
    pub(crate) instruction: &'t str,
    /// The type of the result.
    pub(crate) to: &'t str,
    /// The types of the sources.
    pub(crate) from: Vec<&'t str>,
    pub(crate) results: Vec<u64>,
}

/// The type of the register that holds a type, and its size.
fn register(of: &str) -> (&str, u32) {
    match of {
        "f16" | "bf16" | "e4m3x2" | "e5m2x2" => ("b16", 16),
        "f16x2" | "bf16x2" | "tf32" => ("b32", 32),
        "u8" => ("u16", 16),
        "s8" => ("s16", 16),
        "pred" => ("pred", 1),
        of => (of, of[1..].parse().expect("a size")),
    }
}

impl<'t> MeasuredLine<'t> {
    /// The lines of a file: `instruction|result|sources|results`, where a line does not begin with `#`.
    pub(crate) fn all(text: &'t str) -> Vec<Self> {
        text.lines().filter(|line| !line.starts_with('#')).map(Self::read).collect()
    }

    fn read(line: &'t str) -> Self {
        let mut parts = line.split('|');
        let mut next = || parts.next().expect("four parts");
        let (instruction, to, from) = (next(), next(), next().split(',').collect());
        let results = next().split(';').map(|hex| u64::from_str_radix(hex, 16).expect("a number")).collect();
        Self { instruction, to, from, results }
    }

    /// True if the inputs are all numbers of 16 bits, or a sample of those of 32.
    pub(crate) fn is_unary(&self) -> bool {
        self.from.len() == 1 && register(self.from[0]).1 <= 32
    }

    /// The line as a case without rows.
    pub(crate) fn case(&self) -> LineCase {
        let mut declarations = format!(".entry k() {{ .reg .{} %d;", register(self.to).0);
        let (mut inputs, mut line) = (Vec::new(), format!("{} %d", self.instruction));
        for (at, of) in self.from.iter().enumerate() {
            let (name, bits) = register(of);
            declarations += &format!(" .reg .{name} %s{at};");
            line += &format!(", %s{at}");
            inputs.push(format!(r#"{{ "register": "%s{at}", "bits": {bits}, "holds": "bits" }}"#));
        }
        let json = format!(
            r#"{{ "ptx": "8.6", "target": "sm_90", "declarations": "{declarations}", "line": "{line};", "inputs": [{}],
                 "outputs": [{{ "register": "%d", "bits": {} }}], "rows": [] }}"#,
            inputs.join(","),
            register(self.to).1
        );
        serde_json::from_str(&json).expect("a case")
    }
}

/// A result with the canonical NaN in the place of each NaN: which NaN a result is, the manual leaves open.
pub(crate) fn canonical(bits: u128, of: &str) -> u64 {
    let (element, count) = of.split_once('x').unwrap_or((of, "1"));
    let format = FloatFormat::of(&format!(".{element}")).filter(|format| format.bits() >= 16);
    let Some(format) = format else { return bits as u64 };
    let one = |at: u32| {
        let element = bits >> (at * format.bits()) & (u128::MAX >> (128 - format.bits()));
        (if format.is_nan(element) { format.canonical_nan() } else { element }) << (at * format.bits())
    };
    (0..count.parse().expect("a number")).map(one).sum::<u128>() as u64
}
