use clap::Parser;

#[derive(Parser)]
struct Options {
    /// Where it runs.
    #[arg(long, default_value = "cuda:1")] // ~ device-not-allowed warning
    device: String,
    #[arg(long, default_value_t = 2)] // ~ device-not-allowed warning
    gpu_id: usize,
    #[arg(long, default_value_t = 3)]
    workers: usize,
}

fn main() {
    let options = Options::parse();
    println!("{} {} {}", options.device, options.gpu_id, options.workers);
}
