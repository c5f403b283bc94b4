//! Two matrices whose product is known to the bit.
//!
//! Their elements are whole numbers from -8 to 8, so that every sum of products on the way is a whole number too, and below
//! 2^24 it is exact as a float: however a card orders and rounds, there is one right answer. The first matrix is made as the
//! product of a tall one and a wide one. So the CPU finds the answer by two thin products, at a hundredth of the work that the
//! card has, and the card multiplies full matrices.

use super::super::lines::Failure;

/// Columns of the tall matrix. With elements from -1 to 1, this is also the largest element of its product.
const RANK: usize = 8;
/// The largest element of the second matrix.
const LARGEST: i32 = 8;
/// Up to here, all whole numbers are floats.
const EXACT: u64 = 1 << 24;

/// The bits of three square matrices of floats, stored by rows.
#[derive(Debug)]
pub struct Case {
    pub a: Vec<u32>,
    pub b: Vec<u32>,
    pub product: Vec<u32>,
}

impl Case {
    /// Matrices with so many rows; an error if their product could not be told exactly.
    pub fn of(side: u32) -> Result<Case, Failure> {
        let greatest_sum = u64::from(side) * RANK as u64 * LARGEST as u64;
        if side == 0 || greatest_sum >= EXACT {
            let why = format!("the product of matrices with {side} rows is not exact");
            return Err(Failure { doing: "making the matrices".to_owned(), code: None, why });
        }
        let side = side as usize;
        let mut numbers = Numbers { state: 1 };
        let tall = numbers.up_to(1, side * RANK);
        let wide = numbers.up_to(1, RANK * side);
        let b = numbers.up_to(LARGEST, side * side);
        let a = product(&tall, &wide, RANK, side);
        let of_wide = product(&wide, &b, side, side);
        let product = product(&tall, &of_wide, RANK, side);
        Ok(Case { a: floats(&a), b: floats(&b), product: floats(&product) })
    }

    /// How many elements differ from the right ones in any bit.
    pub fn wrong(&self, found: &[u32]) -> u64 {
        if self.product == found {
            return 0;
        }
        let pairs = self.product.iter().zip(found);
        let missing = self.product.len().abs_diff(found.len());
        (pairs.filter(|(right, found)| right != found).count() + missing) as u64
    }
}

/// The product of a matrix with `inner` columns and one with `columns`. Quick where the first has few elements that are not 0.
fn product(left: &[i32], right: &[i32], inner: usize, columns: usize) -> Vec<i32> {
    let mut product = Vec::with_capacity(left.len() / inner * columns);
    for row in left.chunks_exact(inner) {
        let mut sums = vec![0; columns];
        for (factor, other) in row.iter().zip(right.chunks_exact(columns)).filter(|(factor, _)| **factor != 0)
        {
            for (sum, element) in sums.iter_mut().zip(other) {
                *sum += factor * element;
            }
        }
        product.extend(sums);
    }
    product
}

fn floats(numbers: &[i32]) -> Vec<u32> {
    numbers.iter().map(|number| (*number as f32).to_bits()).collect()
}

/// Numbers without a pattern, the same in every run: xorshift64.
struct Numbers {
    state: u64,
}

impl Numbers {
    /// So many, from minus to plus this number.
    fn up_to(&mut self, largest: i32, count: usize) -> Vec<i32> {
        let width = 2 * largest as u64 + 1;
        let next = || {
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            // The high bits are the better ones; the largest number is far below 2^32.
            ((self.state >> 32) % width) as i32 - largest
        };
        std::iter::repeat_with(next).take(count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_is_the_product() {
        let side = 37;
        let case = Case::of(side as u32).unwrap();
        let element = |matrix: &[u32], row: usize, column: usize| f32::from_bits(matrix[row * side + column]);
        for row in 0..side {
            for column in 0..side {
                let sum: f32 =
                    (0..side).map(|k| element(&case.a, row, k) * element(&case.b, k, column)).sum();
                assert_eq!(sum, element(&case.product, row, column), "{row}, {column}");
            }
        }
        let largest =
            |matrix: &[u32]| matrix.iter().map(|bits| f32::from_bits(*bits).abs()).fold(0.0, f32::max);
        assert!(largest(&case.a) >= 4.0 && largest(&case.a) <= 8.0);
        assert_eq!(largest(&case.b), 8.0);
        // A zero with a sign would be other bits than a card finds.
        assert!(!case.product.contains(&(-0.0_f32).to_bits()));
    }

    #[test]
    fn no_two_rows_are_easily_confused() {
        let case = Case::of(200).unwrap();
        let mut rows: Vec<&[u32]> = case.product.chunks(200).collect();
        rows.sort_unstable();
        rows.dedup();
        assert!(rows.len() > 190, "{}", rows.len());
    }

    #[test]
    fn wrong_elements_are_counted() {
        let case = Case::of(10).unwrap();
        let mut found = case.product.clone();
        assert_eq!(case.wrong(&found), 0);
        found[7] ^= 1;
        found[99] ^= 1;
        assert_eq!(case.wrong(&found), 2);
        assert_eq!(case.wrong(&found[..90]), 11);
    }

    #[test]
    fn what_would_not_be_exact_is_refused() {
        assert!(Case::of(0).is_err());
        assert!(Case::of(262_144).is_err());
    }
}
