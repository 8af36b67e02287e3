//! Mistakes of the interpreter in branches, loops, loads and stores: changes of a line of a module.

/// A change of a line of a module; empty if the line is lost.
pub(super) type LineChange = fn(&str) -> String;

fn is_conditional(line: &str) -> bool {
    line.starts_with("@%x") && line.contains(" bra ") || line.starts_with("@!%x") && line.contains(" bra ")
}

fn replaced(line: &str, when: bool, change: impl Fn(&str) -> String) -> String {
    if when { change(line) } else { line.to_owned() }
}

fn narrower(line: &str, access: &str, from: &str, to: &str) -> String {
    let wide = format!("{access}.volatile.global.{from}");
    replaced(line, line.starts_with(&wide), |line| line.replace(&wide, &format!("{access}.volatile.global.{to}")))
}

/// Each mistake in words.
pub(super) const TABLE: &[(&str, LineChange)] = &[
    ("a branch that is always taken", |line| {
        replaced(line, is_conditional(line), |line| line.split_once(' ').map_or("", |(_, rest)| rest).to_owned())
    }),
    ("a branch that is never taken", |line| replaced(line, is_conditional(line), |_| String::new())),
    ("a branch whose guard is inverted", |line| {
        replaced(line, is_conditional(line), |line| match line.strip_prefix("@!") {
            Some(rest) => format!("@{rest}"),
            None => line.replacen('@', "@!", 1),
        })
    }),
    ("a branch over the other arm that is not taken", |line| {
        replaced(line, line.starts_with("bra.uni "), |_| String::new())
    }),
    ("a loop of one round", |line| replaced(line, line.starts_with("@%q"), |_| String::new())),
    ("a loop with a round too many", |line| {
        replaced(line, line.starts_with("setp.lt.u32 %q"), |line| line.replace(".lt.", ".le."))
    }),
    ("a store of 64 bits that stores 32", |line| narrower(line, "st", "b64", "b32")),
    ("a store of 32 bits that stores 16", |line| narrower(line, "st", "b32", "b16")),
    ("a store of 16 bits that stores 8", |line| narrower(line, "st", "b16", "b8")),
    ("a load of 64 bits that loads 32", |line| narrower(line, "ld", "b64", "b32")),
    ("a load of 32 bits that loads 16", |line| narrower(line, "ld", "b32", "b16")),
    ("a load of 16 bits that loads 8", |line| narrower(line, "ld", "b16", "b8")),
    ("a load of 32 bits that extends the sign of 16", |line| narrower(line, "ld", "b32", "s16")),
    ("an address without its offset in loads", |line| {
        replaced(line, line.starts_with("ld.volatile") && line.contains('+'), |line| {
            let at = line.find('+').unwrap_or(line.len());
            format!("{}];", &line[..at])
        })
    }),
];
