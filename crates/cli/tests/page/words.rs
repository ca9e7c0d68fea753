//! Names and messages come from users: they are text, whatever is in them.

use crate::support::Folder;
use crate::tab::{DESK, Tab};
use serde_json::json;

#[test]
fn text_of_users_is_text() {
    let evil = "</script><img src=x onerror=alert(1)><!-- <b>no & never</b>";
    let program = format!("var x;\nthread t {{ x = 1; assert x == 2, \"{evil}\"; }}\n// {evil}\n");
    let folder = Folder::with("evil.ed", program);
    assert_eq!(folder.mazurka("check evil.ed --report page.html").status, 1);
    let mut tab = Tab::open(&folder.path("page.html"), DESK);
    assert_eq!(tab.text("h1"), format!("assertion: {evil}"));
    assert_eq!(tab.eval("document.title"), json!(format!("assertion: {evil}")));
    assert_eq!(tab.count("img") + tab.count("b:not(.cell b)"), 0);
    assert!(tab.text("#source").contains(evil));
}
