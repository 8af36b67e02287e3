//! Pictures of each kind of page, for people to look at.

use std::path::PathBuf;

use crate::looks::WIDTHS;
use crate::{BrowserTest, Tested, World};

/// The name of the test, which runs only where a folder is given.
pub(crate) const NAME: &str = "screenshots";
pub(crate) const TESTS: &[BrowserTest] = &[(NAME, screenshots)];

/// The height at which a picture is cut, in pixels.
const HIGHEST: u32 = 4000;

/// Where the pictures go.
pub(crate) fn folder() -> Option<PathBuf> {
    std::env::var_os("PTX_CONFORM_SCREENSHOTS").map(PathBuf::from)
}

fn screenshots(world: &World) -> Tested {
    let folder = folder().ok_or("set PTX_CONFORM_SCREENSHOTS to a folder for the pictures")?;
    std::fs::create_dir_all(&folder)?;
    let (tab, all) = (world.tab()?, world.all());
    let [narrow, _, wide] = WIDTHS;
    for page in all.kinds() {
        for (width, scheme) in [(narrow, "light"), (narrow, "dark"), (wide, "light"), (wide, "dark")] {
            tab.size(width, 900)?;
            tab.media(scheme, "screen")?;
            tab.open(all.folder(), &page)?;
            let name = page.trim_end_matches(".html").replace('/', "-");
            std::fs::write(folder.join(format!("{name}-{width}-{scheme}.png")), tab.picture(width, HIGHEST)?)?;
        }
    }
    Ok(())
}
