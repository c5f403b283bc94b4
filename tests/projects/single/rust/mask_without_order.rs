use cudarc::driver::CudaContext;
use std::env::set_var;

fn pin(card: usize) {
    unsafe { set_var("CUDA_VISIBLE_DEVICES", format!("{card}")) } // ~ missing-device-order warning
}

fn main() {
    pin(1);
    let _context = CudaContext::new(0);
}
