//! What a code is called: `cuGetError*`.

use crate::codes::*;
use crate::entry::{exported, put};
use std::ffi::c_char;

exported! {
    fn cuGetErrorName(code: Code, text: *mut *const c_char) |_driver| {
        put(text, texts_of(code).ok_or(INVALID_VALUE)?.0.as_ptr())
    }

    fn cuGetErrorString(code: Code, text: *mut *const c_char) |_driver| {
        put(text, texts_of(code).ok_or(INVALID_VALUE)?.1.as_ptr())
    }
}
