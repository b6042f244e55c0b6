//! The binary: hands the words typed to `cli` and leaves with its exit code.

fn main() {}
