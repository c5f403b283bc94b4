use cudarc::driver::CudaContext;

fn main() {
    // gpulint: ignore[missing-visible-devices] the machine has one card
    let _first = CudaContext::new(0).unwrap();
    let _second = CudaContext::new(1).unwrap(); // gpulint: ignore[device-not-allowed] a test bench
    let text = "// gpulint: ignore[device-outside-mask]";
    println!("{text}");
}
