//! The native stage: loads for a card that need neither Python nor a CUDA toolkit, run in a process of their own that
//! writes down what it measures.
//!
//! ```text
//! kernels    the PTX that gpulint brings
//! device     a context, memory and launches, as a safe interface
//! leak       allocate, multiply, check, free; and again
//! burn       as much memory and as many products as the card can take
//! lines      what both write down
//! ```

pub mod lines;
