//! How steep a series is, with a measure that single values do not move.

/// More points than this say no more about a slope, and their pairs would be many.
const MOST_POINTS: usize = 1000;

/// The median of the slopes between all pairs of values; 0 of fewer than two. Of long series evenly chosen values are taken.
pub fn theil_sen(used: &[u64]) -> f64 {
    let every = used.len().div_ceil(MOST_POINTS).max(1);
    let points: Vec<(f64, f64)> =
        used.iter().enumerate().step_by(every).map(|(index, value)| (index as f64, *value as f64)).collect();
    let mut slopes = Vec::with_capacity(points.len() * points.len().saturating_sub(1) / 2);
    for (index, (x, y)) in points.iter().enumerate() {
        slopes.extend(points[index + 1..].iter().map(|(later, value)| (value - y) / (later - x)));
    }
    middle(&mut slopes)
}

/// The median; 0 of nothing.
pub fn median(values: &[u64]) -> f64 {
    middle(&mut values.iter().map(|value| *value as f64).collect::<Vec<_>>())
}

/// Whether a series became higher from one end to the other, by a unit at least and by more than it goes up and down: than
/// the distance of the quarters around the line.
pub fn rises(used: &[u64], unit: u64) -> bool {
    let slope = theil_sen(used);
    let mut beside: Vec<f64> =
        used.iter().enumerate().map(|(index, value)| *value as f64 - slope * index as f64).collect();
    beside.sort_by(f64::total_cmp);
    let quarter = |of: usize| beside.get(beside.len() * of / 4).copied().unwrap_or(0.0);
    let total = slope * used.len().saturating_sub(1) as f64;
    total >= (unit as f64).max(quarter(3) - quarter(1))
}

fn middle(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let is_odd = values.len() % 2 == 1;
    let (lower, upper_middle, _) = values.select_nth_unstable_by(values.len() / 2, f64::total_cmp);
    if is_odd {
        return *upper_middle;
    }
    f64::midpoint(lower.iter().copied().fold(f64::NEG_INFINITY, f64::max), *upper_middle)
}
