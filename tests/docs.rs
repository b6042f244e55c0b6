//! Documentation that is made from the code is what the code would make. `VERIFY_BLESS=1` writes it anew.

use std::fs;
use std::path::Path;

#[test]
fn the_page_of_options_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/options.md");
    let made = verify::job::options::markdown();
    if std::env::var_os("VERIFY_BLESS").is_some() {
        fs::write(&path, &made).expect("docs/options.md can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == made, "docs/options.md is out of date; VERIFY_BLESS=1 cargo test --test docs writes it");
}
