//! Lasting steps: where everything after is higher than everything before. They are looked for in the series itself and in the
//! medians of three and of ten iterations, in which what happens now and then is gone.

use super::slope;

/// Iterations of which a median is taken.
const WIDTHS: [usize; 3] = [1, 3, 10];
/// So many medians there must be, or they say less than the series.
const FEWEST: usize = 10;

/// The lasting steps of one series.
pub struct Steps {
    /// Of how many iterations each value is the median.
    pub width: usize,
    /// How long the series is.
    pub length: usize,
    /// Where the first value after each step is.
    pub at: Vec<usize>,
    /// By how much everything after is higher than everything before.
    sizes: Vec<f64>,
}

/// Of the series and of its medians.
pub fn steps(used: &[u64], unit: u64) -> Vec<Steps> {
    let widths = WIDTHS.into_iter().filter(|width| *width == 1 || used.len() / width >= FEWEST);
    widths
        .map(|width| {
            // A shorter one at the end is of too few to be trusted.
            let medians: Vec<f64> = used.chunks_exact(width).map(slope::median).collect();
            of(&medians, width, unit as f64)
        })
        .collect()
}

fn of(values: &[f64], width: usize, unit: f64) -> Steps {
    // The least of each value and all that follow it.
    let mut least_after = values.to_vec();
    for index in (1..least_after.len()).rev() {
        least_after[index - 1] = least_after[index - 1].min(least_after[index]);
    }
    let (mut at, mut sizes) = (Vec::new(), Vec::new());
    let mut most_before = f64::INFINITY;
    for (index, (value, least)) in values.iter().zip(&least_after).enumerate() {
        if least - most_before >= unit {
            at.push(index);
            sizes.push(least - most_before);
        }
        most_before = if index == 0 { *value } else { most_before.max(*value) };
    }
    Steps { width, length: values.len(), at, sizes }
}

impl Steps {
    pub fn in_second_half(&self) -> bool {
        self.at.last().is_some_and(|last| 2 * last > self.length)
    }

    /// Whether there are steps in each third, and in the last at least half as many as in a third on average.
    pub fn go_on(&self) -> bool {
        let mut thirds = [0usize; 3];
        for at in &self.at {
            // No step is before the first value.
            thirds[(3 * (at - 1) / (self.length - 1)).min(2)] += 1;
        }
        thirds.iter().all(|count| *count > 0) && 6 * thirds[2] >= self.at.len()
    }

    /// As the steps of a leak are: two that are a unit apart differ because of what else is in a unit.
    pub fn are_of_one_size(&self, unit: u64) -> bool {
        are_close(&self.sizes, unit as f64)
    }

    /// Whether the steps are alike, as those of a leak are that is smaller than what is handed out at once: in size and
    /// in distance, from the beginning to the end. What came in the first tenth may be something else.
    pub fn are_alike(&self, unit: u64) -> bool {
        let later = self.at.iter().filter(|at| **at < self.length / 10).count();
        [0, later].into_iter().any(|skipped| self.are_alike_from(skipped, unit as f64))
    }

    fn are_alike_from(&self, skipped: usize, unit: f64) -> bool {
        let (at, sizes) = (&self.at[skipped..], &self.sizes[skipped..]);
        let [first, .., last] = at else { return false };
        if at.len() < 3 {
            return false;
        }
        let gaps: Vec<usize> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let (shortest, longest) = least_and_most(&gaps);
        // Nor is there a longer wait before the first of them, or after the last.
        let waits = first.max(&(self.length - 1 - last)).to_owned();
        // One in three more, and one more because places are counted in whole iterations.
        3 * longest <= 4 * shortest + 3 && waits <= longest + 1 && are_close(sizes, unit)
    }
}

fn are_close(sizes: &[f64], unit: f64) -> bool {
    let (smallest, largest) = least_and_most(sizes);
    largest <= smallest + unit
}

fn least_and_most<T: PartialOrd + Copy + Default>(values: &[T]) -> (T, T) {
    let mut values = values.iter().copied();
    let first = values.next().unwrap_or_default();
    values.fold((first, first), |(least, most), value| {
        (if value < least { value } else { least }, if value > most { value } else { most })
    })
}
