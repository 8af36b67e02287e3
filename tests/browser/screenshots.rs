//! Pictures of each kind of page, for people to look at.

use std::path::PathBuf;

use libtest_mimic::Failed;

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
            let picture = decoded(&tab.picture(width, HIGHEST)?)?;
            std::fs::write(folder.join(format!("{name}-{width}-{scheme}.png")), picture)?;
        }
    }
    Ok(())
}

/// The bytes of a text in base 64.
fn decoded(text: &str) -> Result<Vec<u8>, Failed> {
    let mut bytes = Vec::new();
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for digit in four {
            let value = DIGITS.iter().position(|known| known == digit).ok_or("the picture is not in base 64")?;
            bits = bits << 6 | u32::try_from(value)?;
        }
        let [_, all @ ..] = (bits << (6 * (4 - four.len()))).to_be_bytes();
        bytes.extend(&all[..four.len() - 1]);
    }
    Ok(bytes)
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
