use candle_core::Device;

fn main() {
    std::env::set_var("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    std::env::set_var("CUDA_VISIBLE_DEVICES", "1"); // ~ wrong-visible-devices error
    let _device = Device::new_cuda(0).unwrap();
}
