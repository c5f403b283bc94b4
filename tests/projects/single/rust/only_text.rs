//! `CudaContext::new(1)` is what this never does.

/// Not `Device::new_cuda(1)`.
const HELP: &str = "use cuda:1 or CudaContext::new(1)";

fn main() {
    println!("cuda:1 {HELP}");
    eprintln!("{}", "CUDA_VISIBLE_DEVICES=1");
    let pattern = r#"std::env::set_var("CUDA_VISIBLE_DEVICES", "1")"#;
    assert_eq!(pattern.len(), 46, "cuda:1");
}
