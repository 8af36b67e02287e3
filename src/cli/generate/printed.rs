//! Variants as lines, as a module, or as input for `judge`.

use std::io::{self, Write};

use serde::Serialize;

use super::OutputFormat;
use super::parts::SpacePart;
use ptx_conform::environment::{AddressSize, Environment, Target, Version};
use ptx_conform::ptx::{Context, Item, Printer, Scaffold, Setting, scaffold};

/// The lines of one function, and what they use.
#[derive(Default)]
struct Body<'s> {
    lines: Vec<String>,
    items: Vec<Item<'s>>,
}

/// A line as `judge` reads it.
#[derive(Serialize)]
struct GeneratedRequest<'a> {
    line: &'a str,
    ptx: Version,
    target: Target,
    address_size: u32,
    declarations: &'a str,
    /// The rule that it should break. `judge` ignores this.
    #[serde(skip_serializing_if = "Option::is_none")]
    breaks: Option<&'a str>,
}

/// The output: each variant as it comes, or a module once all have.
pub(super) struct PrintedCases<'s, W: Write> {
    environment: Environment,
    format: OutputFormat,
    out: W,
    entry: Body<'s>,
    function: Body<'s>,
}

impl<'s, W: Write> PrintedCases<'s, W> {
    pub(super) fn new(environment: Environment, format: OutputFormat, out: W) -> Self {
        Self { environment, format, out, entry: Body::default(), function: Body::default() }
    }

    pub(super) fn variant(&mut self, part: &'s SpacePart<'_>, values: &[u8]) -> io::Result<()> {
        let printer = Printer::new(part.form);
        let mut line = String::new();
        let mut items = Vec::new();
        printer.line(values, &mut line, |item| items.push(item));
        let setting = printer.setting(values);
        if self.format == OutputFormat::Jsonl {
            let Environment { ptx, target, address_size } = self.environment;
            let declarations = scaffold(items, setting).declarations();
            let request = GeneratedRequest {
                line: &line,
                ptx,
                target,
                address_size: address_size.bits(),
                declarations: &declarations,
                breaks: part.breaks(),
            };
            serde_json::to_writer(&mut self.out, &request)?;
            return self.out.write_all(b"\n");
        }
        if let Some(rule) = part.breaks() {
            line.push_str(" // breaks ");
            line.push_str(rule);
        }
        if self.format == OutputFormat::Text {
            return writeln!(self.out, "{line}");
        }
        let body = if setting.context == Context::Entry { &mut self.entry } else { &mut self.function };
        body.lines.push(line);
        for item in items {
            if !body.items.contains(&item) {
                body.items.push(item);
            }
        }
        Ok(())
    }

    /// Writes what could not be written before the last variant was known.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.format == OutputFormat::Module {
            let module = self.module();
            self.out.write_all(module.as_bytes())?;
        }
        self.out.flush()
    }

    /// One module: an entry, a function, or both.
    fn module(&self) -> String {
        let (entry, function) = (&self.entry, &self.function);
        // Variables of the module are declared once, before both.
        let all = scaffold(entry.items.iter().chain(&function.items).copied(), Setting::default());
        let text = |body: &Body<'_>, context, name: &str, globals: &str| {
            let own = scaffold(body.items.iter().copied(), Setting { context, ..Setting::default() });
            let lines: Vec<&str> = body.lines.iter().map(String::as_str).collect();
            Scaffold { globals: globals.to_owned(), ..own }.module(&self.environment, name, &lines).0
        };
        match (entry.lines.is_empty(), function.lines.is_empty()) {
            (_, true) => text(entry, Context::Entry, "k", &all.globals),
            (true, false) => text(function, Context::Function, "f", &all.globals),
            (false, false) => {
                let directives = if self.environment.ptx >= AddressSize::SINCE { 3 } else { 2 };
                let behind = text(function, Context::Function, "f", "");
                let behind: String = behind.split_inclusive('\n').skip(directives).collect();
                text(entry, Context::Entry, "k", &all.globals) + &behind
            }
        }
    }
}
