//! A program that takes memory on a card: this test program again, told so by a variable.

use cudarc::driver::CudaContext;
use cudarc::driver::result::malloc_sync;
use std::time::Duration;

const BYTES: &str = "GPULINT_TEST_TAKES_BYTES";
const SECONDS: &str = "GPULINT_TEST_FOR_SECONDS";

/// The words of a command that takes so many bytes on the first card it sees, and keeps them for a while.
pub fn taking(bytes: u64, seconds: f64) -> Vec<String> {
    let program = std::env::current_exe().expect("it is known").display().to_string();
    let variables = [format!("{BYTES}={bytes}"), format!("{SECONDS}={seconds}")];
    let words = ["client::takes_memory_when_told", "--exact", "--nocapture"].map(str::to_owned);
    std::iter::once("env".to_owned()).chain(variables).chain([program]).chain(words).collect()
}

#[test]
fn takes_memory_when_told() {
    let told = |name| std::env::var(name).ok();
    let (Some(bytes), Some(seconds)) = (told(BYTES), told(SECONDS)) else { return };
    let context = CudaContext::new(0).expect("there is a card");
    context.bind_to_thread().expect("it can be used");
    // SAFETY: nobody reads or writes the memory.
    unsafe { malloc_sync(bytes.parse().expect("a number")).expect("there is memory") };
    std::thread::sleep(Duration::from_secs_f64(seconds.parse().expect("a number")));
}
