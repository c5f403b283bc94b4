use cudarc::driver::CudaContext;

fn main() {
    unsafe {
        std::env::set_var("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
        std::env::set_var("CUDA_VISIBLE_DEVICES", "0");
    }
    let context = CudaContext::new(0).unwrap();
    assert_eq!(context.ordinal(), 0);
}
