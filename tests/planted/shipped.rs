//! The specification that the program carries, loaded once for all tests of a test program.

use std::sync::LazyLock;

use ptx_conform::spec::Spec;

/// The shipped specification.
pub(crate) static SPEC: LazyLock<Spec> = LazyLock::new(|| {
    let rendered = |errors: Vec<ptx_conform::yaml::Error>| -> String {
        errors.iter().map(|error| format!("{}\n", error.render(false))).collect()
    };
    ptx_conform::shipped::spec().map_err(rendered).unwrap_or_else(|errors| panic!("{errors}"))
});
