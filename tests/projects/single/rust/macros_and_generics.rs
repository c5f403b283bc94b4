macro_rules! open {
    ($index:expr) => {
        cudarc::driver::CudaContext::new($index)
    };
}

fn first<T: Default>(_: impl Fn() -> T) -> T {
    T::default()
}

fn main() {
    let value = first(|| 1u8);
    let cuda: Vec<Box<dyn Fn(usize) -> usize>> = vec![Box::new(|gpu| gpu + 1)];
    println!("{value} {}", cuda.len());
}
