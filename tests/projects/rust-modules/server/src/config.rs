//! What is chosen, and where.

pub const CARD: usize = 1; // ~ device-outside-mask error

pub fn pin() {
    std::env::set_var("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    std::env::set_var("CUDA_VISIBLE_DEVICES", "0");
}
