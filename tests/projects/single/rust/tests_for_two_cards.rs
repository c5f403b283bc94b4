use cudarc::driver::CudaContext;

#[test]
#[ignore = "must be executed with multiple gpus"]
fn copies_between_cards() {
    std::env::set_var("CUDA_VISIBLE_DEVICES", "GPU-1a,GPU-2b");
    let _ = (CudaContext::new(0), CudaContext::new(1));
}
