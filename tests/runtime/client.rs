//! Programs that use a card: this test program again, told so by variables.

use cudarc::driver::result::{self, malloc_sync};
use cudarc::driver::{CudaContext, DriverError};
use std::ptr::null_mut;
use std::time::Duration;

const BYTES: &str = "GPULINT_TEST_TAKES_BYTES";
const LAUNCHES: &str = "GPULINT_TEST_LAUNCHES";
const SECONDS: &str = "GPULINT_TEST_FOR_SECONDS";

/// What a client ends with when the driver refuses something.
pub const REFUSED_BY_THE_DRIVER: i32 = 7;

/// The module of a kernel that does nothing; a simulated driver reads nothing of it but names.
const MODULE: &str =
    ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry gpulint_fill() { ret; }\n\0";

/// The words of a command that takes so many bytes on the first card it sees, and keeps them for a while.
pub fn taking(bytes: u64, seconds: f64) -> Vec<String> {
    launching(bytes, 0, seconds)
}

/// The words of one that also launches so many kernels.
pub fn launching(bytes: u64, launches: u32, seconds: f64) -> Vec<String> {
    let program = std::env::current_exe().expect("it is known").display().to_string();
    let variables =
        [format!("{BYTES}={bytes}"), format!("{LAUNCHES}={launches}"), format!("{SECONDS}={seconds}")];
    let words = ["client::uses_a_card_when_told", "--exact", "--nocapture"].map(str::to_owned);
    std::iter::once("env".to_owned()).chain(variables).chain([program]).chain(words).collect()
}

#[test]
fn uses_a_card_when_told() {
    let told = |name| std::env::var(name).ok();
    let (Some(bytes), Some(seconds)) = (told(BYTES), told(SECONDS)) else { return };
    let launches = told(LAUNCHES).map_or(0, |count| count.parse().expect("a number"));
    if use_card(bytes.parse().expect("a number"), launches).is_err() {
        std::process::exit(REFUSED_BY_THE_DRIVER);
    }
    std::thread::sleep(Duration::from_secs_f64(seconds.parse().expect("a number")));
    // Without the drop of a context, as many programs end.
    std::process::exit(0);
}

fn use_card(bytes: usize, launches: u32) -> Result<(), DriverError> {
    let context = CudaContext::new(0)?;
    context.bind_to_thread()?;
    std::mem::forget(context);
    // SAFETY: nobody reads or writes the memory.
    unsafe { malloc_sync(bytes)? };
    if launches == 0 {
        return Ok(());
    }
    // SAFETY: a text with its end, of which the driver makes a module that stays.
    let module = unsafe { result::module::load_data(MODULE.as_ptr().cast())? };
    // SAFETY: the module is the one of above.
    let function = unsafe { result::module::get_function(module, c"gpulint_fill".into())? };
    // SAFETY: as above.
    let mut memory = unsafe { malloc_sync(16)? };
    for _ in 0..launches {
        let (mut count, mut seed) = (4_u32, 1_u32);
        let parameters = &mut [(&raw mut memory).cast(), (&raw mut count).cast(), (&raw mut seed).cast()];
        // SAFETY: the parameters are those of the kernel, and the memory is large enough for four elements.
        unsafe { result::launch_kernel(function, (1, 1, 1), (32, 1, 1), 0, null_mut(), parameters)? };
    }
    Ok(())
}
