//! Whether head is as fast as base, from the times of pairs of runs: a pure function, so that its error rates can be tested.
//!
//! Each pair gives ln(head / base). Their middle is the estimate of Hodges and Lehmann, the median of the means of all two pairs (and of each with
//! itself); its bounds are those means at the ranks of Wilcoxon's signed-rank statistic, whose distribution is computed exactly. Both need no
//! normal noise, and bear outliers. The margin is a border of non-inferiority: not "no difference was found", which few runs always
//! show, but "a loss as large as the margin is excluded".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The chance of saying *preserved* of a loss as large as the margin, over all looks together.
pub const ERROR: f64 = 0.05;
/// The first look; each other has twice as many pairs, up to the most that are allowed.
pub const FIRST_LOOK: usize = 10;
/// More take minutes to compute, and days to run.
pub const MOST_PAIRS: usize = 320;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// The part of base's speed that head may lose, such as 0.02.
    pub margin: f64,
    /// Whether head may not win more than that either.
    pub symmetric: bool,
    /// At most so many pairs.
    pub pairs: usize,
}

/// What a series of pairs comes to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// How many pairs there are.
    pub pairs: usize,
    /// Time of head by time of base: 1.05 is 5 % slower. `null` without a pair.
    pub ratio: Option<f64>,
    /// One-sided bounds of it, each with `confidence`; `null` where there are too few pairs for one.
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    pub confidence: f64,
    /// The standard deviation of the logarithms of the pairs, about the relative spread of a pair.
    pub deviation: Option<f64>,
    /// The least change of time that so many pairs find nine times in ten: 0.01 is 1 %.
    pub detectable: Option<f64>,
}

/// What a series says of a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A loss as large as the margin is excluded; with a symmetric rule a gain as well.
    Preserved,
    /// The time is longer by more than the margin.
    Slower,
    /// The time is shorter by more than the margin.
    Faster,
    /// Neither is shown.
    Inconclusive,
}

/// What the pairs and the control come to together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    Preserved,
    Regressed,
    /// Head is faster by more than the margin, and the rule is symmetric.
    TooFast,
    /// Base seems to be faster or slower than itself.
    Unfit,
    /// More pairs may tell.
    Inconclusive,
}

impl Rule {
    /// How many pairs there are at each look.
    pub fn looks(&self) -> Vec<usize> {
        let mut looks: Vec<usize> = std::iter::successors(Some(FIRST_LOOK), |look| Some(look * 2))
            .take_while(|look| *look < self.pairs)
            .collect();
        looks.push(self.pairs);
        looks
    }

    /// The largest ln(head / base) that is no loss: of a margin of 2 %, ln(1 / 0.98).
    fn border(&self) -> f64 {
        -(1.0 - self.margin).ln()
    }

    /// What these pairs say when they are looked at for one of all looks.
    pub fn outcome(&self, pairs: &[f64]) -> (Outcome, Estimate) {
        // By Bonferroni, since who looks often is wrong more often.
        let error = ERROR / self.looks().len() as f64;
        let estimate = estimate(pairs, error);
        (self.said_by(&estimate), estimate)
    }

    /// What base against base says: by the same border in both directions, since neither is the later one.
    pub fn control(&self, pairs: &[f64]) -> (Outcome, Estimate) {
        let estimate = estimate(pairs, ERROR);
        (Rule { symmetric: true, ..*self }.said_by(&estimate), estimate)
    }

    fn said_by(&self, estimate: &Estimate) -> Outcome {
        let border = self.border();
        let above = |bound: Option<f64>, least: f64| bound.is_some_and(|bound| bound.ln() > least);
        let below = |bound: Option<f64>, most: f64| bound.is_some_and(|bound| bound.ln() < most);
        if above(estimate.lower, border) {
            Outcome::Slower
        } else if below(estimate.upper, -border) {
            Outcome::Faster
        } else if below(estimate.upper, border) && (!self.symmetric || above(estimate.lower, -border)) {
            Outcome::Preserved
        } else {
            Outcome::Inconclusive
        }
    }

    /// What both come to. Nothing is preserved on a machine that does not show that base is as fast as itself.
    pub fn conclusion(&self, pairs: Outcome, control: Outcome) -> Conclusion {
        match (pairs, control) {
            (_, Outcome::Slower | Outcome::Faster) => Conclusion::Unfit,
            (Outcome::Slower, _) => Conclusion::Regressed,
            (Outcome::Faster, _) if self.symmetric => Conclusion::TooFast,
            (Outcome::Preserved | Outcome::Faster, Outcome::Preserved) => Conclusion::Preserved,
            _ => Conclusion::Inconclusive,
        }
    }
}

/// The middle of the logarithms and its bounds, each of which is wrong with this chance.
fn estimate(pairs: &[f64], error: f64) -> Estimate {
    let count = pairs.len();
    let mut means: Vec<f64> = (0..count)
        .flat_map(|first| (first..count).map(move |second| (pairs[first] + pairs[second]) / 2.0))
        .collect();
    // The mean at a place of their order.
    let mut at = |place: usize| *means.select_nth_unstable_by(place, f64::total_cmp).1;
    let last = (count * (count + 1) / 2).checked_sub(1);
    let middle = last.map(|last| (at(last / 2) + at(last.div_ceil(2))) / 2.0);
    let rank = critical_rank(count, error);
    let lower = rank.map(|rank| at(rank).exp());
    let upper = rank.zip(last).map(|(rank, last)| at(last - rank).exp());
    let mean = pairs.iter().sum::<f64>() / count.max(1) as f64;
    let squares = pairs.iter().map(|pair| (pair - mean).powi(2)).sum::<f64>();
    let deviation = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
    // The quantiles 0.95 and 0.9 of the normal distribution.
    let detectable =
        deviation.map(|deviation| ((1.645 + 1.282) * deviation / (count as f64).sqrt()).exp_m1());
    Estimate {
        pairs: count,
        ratio: middle.map(f64::exp),
        lower,
        upper,
        confidence: 1.0 - error,
        deviation,
        detectable,
    }
}

/// The greatest value that the signed-rank statistic of so many pairs reaches or stays below with at most this chance when there is no difference;
/// `None` where even its least value is likelier.
fn critical_rank(count: usize, error: f64) -> Option<usize> {
    // Each rank is added with a chance of one half. What is above the middle is likelier than any error.
    let mut chances = vec![0.0; count * (count + 1) / 4 + 1];
    chances[0] = 1.0;
    for rank in 1..=count {
        for sum in (0..chances.len()).rev() {
            let with = if sum >= rank { chances[sum - rank] } else { 0.0 };
            chances[sum] = (chances[sum] + with) / 2.0;
        }
    }
    let mut total = 0.0;
    let below = chances.iter().take_while(|chance| {
        total += **chance;
        total <= error
    });
    below.count().checked_sub(1)
}

#[cfg(test)]
mod tests;
