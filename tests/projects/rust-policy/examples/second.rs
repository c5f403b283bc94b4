use cudarc::driver::CudaContext;

fn main() {
    let _context = CudaContext::new(1); // ~ device-not-allowed error, missing-visible-devices error
}
