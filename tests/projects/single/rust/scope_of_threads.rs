use cudarc::driver::CudaContext;
use std::thread;

fn main() {
    thread::scope(|threads| {
        for number in 0..3 {
            threads.spawn(move || {
                let context = CudaContext::new(0).unwrap(); // ~ missing-visible-devices warning
                println!("{number} {context:?}");
            });
        }
    });
}
