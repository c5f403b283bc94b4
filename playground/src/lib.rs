//! gpulint in the browser: questions come in as JSON and are answered as JSON, both in the memory of the module. Nothing is read
//! from anywhere else, and nothing is kept but the last question and its answer.
//!
//! Four functions are all that a page calls: [`room`] says where to write a question, [`answer`] answers it, and [`answered`] and
//! [`length`] say where the answer is and how long. What can be asked is [`Question`].

mod examples;
mod files;
mod fixed;
mod question;

use std::sync::{Mutex, PoisonError};

use question::refusal;
pub use question::{Question, answer_to};

/// So much stack is taken once for each question. A browser does not say how much there is, so each part that may go deep would take
/// its own, which is half a gigabyte for a tree.
const STACK: usize = 64 << 20;

static ASKED: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWERED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Makes room for a question of so many bytes, and says where it is.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    let mut asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner);
    *asked = vec![0; bytes];
    asked.as_mut_ptr()
}

/// Answers the question that stands in the room. The answer stays until the next one. Where gpulint fails, the module ends here,
/// and the answer says why.
#[unsafe(no_mangle)]
pub extern "C" fn answer() {
    std::panic::set_hook(Box::new(|fault| {
        keep(refusal(&format!("gpulint failed, and nobody knows of it yet: {fault}")))
    }));
    let asked = std::mem::take(&mut *ASKED.lock().unwrap_or_else(PoisonError::into_inner));
    keep(stacker::grow(STACK, || answer_to(&asked)));
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answered() -> *const u8 {
    ANSWERED.lock().unwrap_or_else(PoisonError::into_inner).as_ptr()
}

/// How many bytes the answer has.
#[unsafe(no_mangle)]
pub extern "C" fn length() -> usize {
    ANSWERED.lock().unwrap_or_else(PoisonError::into_inner).len()
}

fn keep(answer: String) {
    *ANSWERED.lock().unwrap_or_else(PoisonError::into_inner) = answer.into_bytes();
}
