//! The `gpulint` program; everything it does is in the library.

fn main() -> std::process::ExitCode {
    gpulint::cli::main()
}
