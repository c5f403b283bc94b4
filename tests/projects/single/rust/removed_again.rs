use cudarc::driver::CudaContext;

fn main() {
    std::env::set_var("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    std::env::set_var("CUDA_VISIBLE_DEVICES", "0");
    std::env::remove_var("CUDA_VISIBLE_DEVICES"); // ~ pin-removed warning
    let _context = CudaContext::new(0);
}
