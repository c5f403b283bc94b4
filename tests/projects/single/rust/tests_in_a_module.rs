use cudarc::driver::CudaContext;

pub fn context(ordinal: usize) -> std::sync::Arc<CudaContext> {
    CudaContext::new(ordinal).unwrap() // ~ missing-visible-devices warning
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first() {
        context(0);
    }

    #[test]
    fn second() {
        context(1); // ~ device-not-allowed warning
    }
}
