//! The report as one HTML page.

use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};

use super::Report;

pub(super) fn render(report: &Report) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    // The name's ending switches escaping on.
    environment.add_template("page.html", include_str!("page.html"))?;
    environment.get_template("page.html")?.render(context! { report => Value::from(Serde(report)) })
}
