//! The picture of the manual is made from the page.

use crate::looks::CLOSED_SCREEN;
use crate::support::Folder;
use crate::tab::{Look, Tab};
use std::path::Path;

/// Where it stands, from the folder of this package.
const PICTURE: &str = "../../docs/src/images/page.png";

/// `UPDATE_PICTURES=1 cargo test -p mazurka-cli --test page picture` makes it anew.
#[test]
fn the_picture_of_the_manual_can_be_made() {
    let folder = Folder::with("closed-screen.ed", CLOSED_SCREEN);
    assert_eq!(folder.mazurka("check closed-screen.ed --report page.html").status, 1);
    let mut tab =
        Tab::open(&folder.path("page.html"), Look { width: 1280, height: 700, dark: false });
    let picture = tab.picture();
    assert!(picture.starts_with(b"\x89PNG"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PICTURE);
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        std::fs::write(&path, &picture).expect("the picture of the manual");
    }
    assert!(path.exists(), "UPDATE_PICTURES=1 makes {}", path.display());
}
