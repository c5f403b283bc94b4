use cudarc::driver::CudaContext;
use std::sync::Arc;

pub struct Pool {
    card: usize,
}

impl Pool {
    pub fn new(card: usize) -> Pool {
        Pool { card }
    }

    pub fn start(&self) -> Arc<CudaContext> {
        open(self.card)
    }
}

pub fn open(card: usize) -> Arc<CudaContext> {
    CudaContext::new(card).unwrap()
}
