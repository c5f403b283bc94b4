//! The answers of NVML: numbers of `nvml.h`.

/// An `nvmlReturn_t`.
pub type Code = u32;

pub const SUCCESS: Code = 0;
pub const UNINITIALIZED: Code = 1;
pub const INVALID_ARGUMENT: Code = 2;
pub const NOT_SUPPORTED: Code = 3;
pub const NO_PERMISSION: Code = 4;
pub const NOT_FOUND: Code = 6;
pub const INSUFFICIENT_SIZE: Code = 7;
pub const DRIVER_NOT_LOADED: Code = 9;
pub const TIMEOUT: Code = 10;
pub const GPU_IS_LOST: Code = 15;
pub const LIB_RM_VERSION_MISMATCH: Code = 18;
pub const ARGUMENT_VERSION_MISMATCH: Code = 25;
pub const UNKNOWN: Code = 999;
