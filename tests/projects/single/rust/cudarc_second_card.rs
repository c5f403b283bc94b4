use cudarc::driver::{CudaContext, LaunchConfig as Launch};

fn main() {
    std::env::set_var("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    std::env::set_var("CUDA_VISIBLE_DEVICES", "1");
    let größe = "ß"; let context = CudaContext::new(1).unwrap(); // ~ device-outside-mask error
    drop((größe, context));
    let _ = Launch::for_num_elems(1);
}
