//! What users compile: the crate is light by its dependencies.

use std::process::Command;

/// Each of these takes longer to compile than any of ours, or makes everything behind it wait for a procedural macro.
const HEAVY: [&str; 5] = ["serde", "serde_json", "flate2", "syn", "thiserror"];

#[test]
fn nothing_heavy_is_compiled_by_default() {
    let listed = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--edges", "normal,build", "--prefix", "none"])
        .args(["--package", "mazurka", "--format", "{p}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs, it compiled this");
    let text = String::from_utf8_lossy(&listed.stdout);
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let names: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"mazurka-engine"), "the list is that of the crate: {text}");
    let heavy: Vec<&&str> = HEAVY.iter().filter(|name| names.contains(name)).collect();
    assert!(heavy.is_empty(), "{heavy:?} are compiled by everybody who uses the crate");
}
