use cudarc::driver::CudaContext;

fn main() {
    let _c = CudaContext::new(0); // ~ missing-visible-devices warning
}
