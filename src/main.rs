//! The binary: hands the words typed to `cli` and leaves with its exit code.

fn main() {
    std::process::exit(verify::cli::main(std::env::args_os()))
}
