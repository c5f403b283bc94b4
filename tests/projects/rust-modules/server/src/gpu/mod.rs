//! Contexts.

pub mod pool;

pub fn warm_up() {
    crate::config::pin();
    let _context = self::pool::open(0);
}
