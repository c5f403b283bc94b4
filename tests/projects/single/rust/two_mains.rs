#[cfg(feature = "cufile")]
fn main() {
    use cudarc::driver::CudaContext;
    let _context = CudaContext::new(0); // ~ missing-visible-devices warning
}

#[cfg(not(feature = "cufile"))]
fn main() {
    println!("This example needs the feature `cufile`");
}
