mod config;
mod gpu;

use gpu::pool::Pool;

fn main() {
    config::pin();
    let pool = Pool::new(config::CARD); // a card that is not there
    pool.start();
    gpu::warm_up();
}
