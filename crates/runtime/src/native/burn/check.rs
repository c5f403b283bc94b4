//! A product held against the CPU, and against another product.
//!
//! Not every element: at least 64 whole rows, one in each of as many equal parts of the matrix, or all where there are fewer. So
//! each tile that a kernel makes is met in the columns, and most of them in the rows. The CPU adds in floats of 64 bits, whose
//! own error is a billionth of what is allowed. Flaws that are rarer than that are what comparing bit by bit is for.
//!
//! What is allowed: each of the n additions of a sum rounds by 2^-24 of the sum so far, at most. Products of two numbers spread
//! evenly from -0.5 to 0.5 have the standard deviation 1/12, so that the sum of k of them stays below 6 sqrt(k) / 12; over all
//! additions that is 2^-24 n^1.5 / 3. Products that are rounded by themselves add 2^-24 / 4 each. Sums in another order stay
//! below that too, as they are shorter. Numbers cut to 10 or 7 bits (TF32, bfloat16) do not.

use super::super::device::Buffer;
use super::super::lines::Failure;
use rayon::prelude::*;

const ROWS: usize = 64;
/// So many columns are computed at once, for all rows: they and what they need stay in the CPU's cache.
const COLUMNS: usize = 256;

/// How many elements of those rows are not what the CPU finds, for the product of two matrices that were filled with these seeds.
pub fn wrong(product: &Buffer, side: u32, seeds: (u32, u32)) -> Result<u64, Failure> {
    let rows = rows(side as usize);
    let mut found = Vec::with_capacity(rows.len());
    for row in &rows {
        let mut elements = vec![0; side as usize];
        product.read(row * side as usize, &mut elements)?;
        found.push(elements);
    }
    let most = allowed(side);
    let starts: Vec<usize> = (0..side as usize).step_by(COLUMNS).collect();
    let count = |start: &usize| {
        let columns = *start..(start + COLUMNS).min(side as usize);
        let right = products(&rows, columns.clone(), side, seeds);
        let wrong = |(found, right): (&Vec<u32>, Vec<f64>)| {
            let pairs = found.get(columns.clone()).unwrap_or_default().iter().zip(right);
            pairs.filter(|(found, right)| !is_near(f64::from(f32::from_bits(**found)), *right, most)).count()
        };
        found.iter().zip(right).map(wrong).sum::<usize>() as u64
    };
    Ok(starts.par_iter().map(count).sum())
}

/// How many elements of two products differ by more than what is allowed for both.
pub fn different(one: &Buffer, other: &Buffer, side: u32) -> Result<u64, Failure> {
    let (mut left, mut right) = (vec![0; one.count()], vec![0; other.count()]);
    one.read(0, &mut left)?;
    other.read(0, &mut right)?;
    let number = |bits: u32| f64::from(f32::from_bits(bits));
    let pairs = left.into_iter().zip(right);
    let far = pairs.filter(|(left, right)| !is_near(number(*left), number(*right), 2.0 * allowed(side)));
    Ok(far.count() as u64)
}

fn allowed(side: u32) -> f64 {
    let (unit, n) = (2.0_f64.powi(-24), f64::from(side));
    unit * (n.powf(1.5) / 3.0 + n / 4.0)
}

/// A number that is none is near to nothing.
fn is_near(found: f64, right: f64, most: f64) -> bool {
    (found - right).abs() <= most
}

/// Which rows are looked at: one in each part, at another place in each.
fn rows(side: usize) -> Vec<usize> {
    let count = side.min(ROWS);
    let part = side / count.max(1);
    (0..count).map(|index| index * side / count + index * 40_503 % part).collect()
}

/// The elements of these rows in these columns.
fn products(rows: &[usize], columns: std::ops::Range<usize>, side: u32, seeds: (u32, u32)) -> Vec<Vec<f64>> {
    let mut sums = vec![vec![0.0; columns.len()]; rows.len()];
    let mut right = vec![0.0; columns.len()];
    for inner in 0..side as usize {
        for (element, column) in right.iter_mut().zip(columns.clone()) {
            *element = number(inner * side as usize + column, seeds.1);
        }
        for (row, sums) in rows.iter().zip(&mut sums) {
            let left = number(row * side as usize + inner, seeds.0);
            for (sum, right) in sums.iter_mut().zip(&right) {
                *sum += left * right;
            }
        }
    }
    sums
}

/// What `gpulint_fill` writes.
fn number(index: usize, seed: u32) -> f64 {
    let start = seed.wrapping_mul(1_013_904_223).wrapping_add(12_345);
    let mixed = (index as u32).wrapping_mul(1_664_525).wrapping_add(start);
    f64::from((mixed ^ (mixed >> 16)) >> 8) / 16_777_216.0 - 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_of_all_parts_and_within() {
        for side in [1, 2, 63, 64, 65, 100, 128, 1000, 8192] {
            let rows = rows(side);
            assert_eq!(rows.len(), side.min(64));
            assert!(rows.windows(2).all(|pair| pair[0] < pair[1]), "{rows:?}");
            assert!(rows.iter().all(|row| *row < side), "{side}: {rows:?}");
        }
    }

    /// Sums of floats in three orders, and of numbers that were cut.
    #[test]
    fn what_is_allowed_tells_rounding_from_less_precision() {
        let side = 512_u32;
        let element = |row: usize, column: usize, seed| number(row * side as usize + column, seed) as f32;
        let cut = |number: f32| f32::from_bits(number.to_bits() & !((1 << 13) - 1));
        let right = products(&[7], 0..side as usize, side, (1, 2)).remove(0);
        let mut cut_and_near = 0;
        for (column, right) in right.iter().enumerate() {
            let pairs: Vec<(f32, f32)> =
                (0..side as usize).map(|inner| (element(7, inner, 1), element(inner, column, 2))).collect();
            let ascending: f32 = pairs.iter().fold(0.0, |sum, (a, b)| a.mul_add(*b, sum));
            let rounded: f32 = pairs.iter().map(|(a, b)| a * b).sum();
            let backwards: f32 = pairs.iter().rev().map(|(a, b)| a * b).sum();
            let in_parts: f32 =
                pairs.chunks(16).map(|part| part.iter().map(|(a, b)| a * b).sum::<f32>()).sum();
            for sum in [ascending, rounded, backwards, in_parts] {
                assert!(is_near(f64::from(sum), *right, allowed(side)), "{sum} {right}");
            }
            let less: f32 = pairs.iter().map(|(a, b)| cut(*a) * cut(*b)).sum();
            cut_and_near += usize::from(is_near(f64::from(less), *right, 2.0 * allowed(side)));
        }
        assert!(cut_and_near < side as usize * 9 / 10, "{cut_and_near}");
        assert!(!is_near(f64::NAN, 0.0, 1.0));
    }
}
