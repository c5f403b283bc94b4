//! The profile `burn`: as much memory and as many products as the card can take, for a while.
//!
//! Two matrices of pseudo-random numbers, and as many products of them as fit. The first product is held against the CPU,
//! as `check` says. Then, round after round, all others are computed and compared with it bit by bit, on the card: the
//! same sums in the same order can only be the same. The first is never computed again, so that a bit of it that flips is
//! seen as well.

mod check;

use super::Stop;
use super::cublas;
use super::device::{Buffer, Device, OUT_OF_MEMORY, Source};
use super::journal::Journal;
use super::lines::{Failure, Line, Load, Multiplier, Round};
use crate::runtime::growth::BLOCK;
use std::iter;
use std::time::Instant;

/// No product may take longer: a card that also draws a screen must get to it in between, and Windows resets a card after two
/// seconds.
const LONGEST: f64 = 0.25;
/// On a card that is too slow for rounds over all of its memory, they may take so many seconds in all, or as many as were asked for.
const PATIENCE: f64 = 10.0;
/// Halving ends here.
const SMALLEST: u32 = 64;
/// At least so many rounds are measured, after one that is not.
const MEASURED: u64 = 2;
/// The first product is the one that all others are compared with.
const FEWEST_PRODUCTS: u64 = 2;
const SEEDS: (u32, u32) = (1, 2);

/// How much of the profile.
#[derive(Clone, Debug)]
pub struct Amount {
    pub seconds: f64,
    /// Of the memory that is free.
    pub share: f64,
    /// Rows of the square matrices, at most.
    pub side: u32,
    /// Whether cuBLAS multiplies where it is found and right.
    pub with_cublas: bool,
}

/// Runs the profile, and writes the load and each round down.
pub(super) fn work(device: &Device, amount: &Amount, journal: &mut Journal) -> Result<(), Stop> {
    let (side, seconds) = side_for(device, amount, journal)?;
    let library = if amount.with_cublas { trusted(device, side, journal)? } else { None };
    let before = device.used()?;
    burn(device, amount, (side, seconds), library.as_ref(), journal)?;
    device.synchronise()?;
    let after = device.used()?.min(device.used()?).min(device.used()?);
    if after > before + BLOCK {
        let more = (after - before) as f64 / 1e6;
        let text = format!("after all was given back, {more:.1} MB more are in use on the card than before");
        journal.write(&Line::Note { text })?;
    }
    Ok(())
}

fn burn(
    device: &Device,
    amount: &Amount,
    (side, seconds): (u32, f64),
    library: Option<&cublas::Library>,
    journal: &mut Journal,
) -> Result<(), Stop> {
    // The library has taken its part meanwhile.
    let (free, sides) = fitting(device, side, amount.share)?;
    let side = sides.first().copied().unwrap_or(side);
    let count = elements(side);
    let (mut a, mut b) = (device.buffer(count, Source::Driver)?, device.buffer(count, Source::Driver)?);
    let fitting = products_in(budget(free, amount.share), side).max(FEWEST_PRODUCTS);
    let wanted = in_time(device, amount, (side, seconds), fitting, journal)?;
    let mut sums = device.buffer(wanted as usize, Source::Driver)?;
    let mut first = device.buffer(count, Source::Driver)?;
    let mut others = others(device, side, wanted - 1, journal)?;
    device.fill(&mut a, SEEDS.0)?;
    device.fill(&mut b, SEEDS.1)?;
    let multiply = |product: &mut Buffer| match library {
        Some(library) => library.multiply(&a, &b, product, side),
        None => device.multiply(&a, &b, product, side),
    };
    multiply(&mut first)?;
    let wrong = check::wrong(&first, side, SEEDS)?;
    journal.write(&Line::Load(Load {
        side,
        products: others.len() as u64 + 1,
        bytes: (others.len() as u64 + 3) * bytes(side) + 4 * sums.count() as u64,
        free,
        multiplier: library.map_or(Multiplier::Own, cublas::Library::multiplier),
        wrong,
    }))?;
    let begun = Instant::now();
    let mut number = 0;
    while number < 1 + MEASURED || begun.elapsed().as_secs_f64() < amount.seconds {
        number += 1;
        let started = Instant::now();
        for product in &mut others {
            multiply(product)?;
            // Not all at once: Windows hands launches to the card in bundles, and takes a long one for a card that hangs.
            device.synchronise()?;
        }
        let multiplying = started.elapsed().as_secs_f64();
        let mut found = vec![0; others.len()];
        sums.write(&found)?;
        let started = Instant::now();
        for (index, product) in others.iter().enumerate() {
            device.count_differences(&first, product, &mut sums, index)?;
        }
        device.synchronise()?;
        let comparing = started.elapsed().as_secs_f64();
        sums.read(0, &mut found)?;
        let products = others.len() as f64;
        journal.write(&Line::Round(Round {
            number,
            multiplying,
            operations: products * 2.0 * f64::from(side).powi(3),
            comparing,
            bytes: products * 2.0 * bytes(side) as f64,
            differing: found.into_iter().map(u64::from).sum(),
        }))?;
    }
    for buffer in [a, b, first, sums].into_iter().chain(others) {
        buffer.free()?;
    }
    Ok(())
}

/// So many products, or as many as there is time for.
fn in_time(
    device: &Device,
    amount: &Amount,
    (side, seconds): (u32, f64),
    fitting: u64,
    journal: &mut Journal,
) -> Result<u64, Stop> {
    // Each is computed, and compared, in each round.
    let all = |seconds: f64| amount.seconds.max(PATIENCE) / (2.0 * (1 + MEASURED) as f64 * seconds);
    if all(seconds) >= fitting as f64 {
        return Ok(fitting);
    }
    // Once more: the machine may have been busy just then.
    let in_time = all(seconds.min(timed(device, side)?)) as u64;
    if in_time >= fitting {
        return Ok(fitting);
    }
    let wanted = in_time.max(FEWEST_PRODUCTS);
    let text = format!(
        "in {} s there is time for {wanted} products, and room for {fitting}: a longer `--burn-time` fills the memory",
        amount.seconds
    );
    journal.write(&Line::Note { text })?;
    Ok(wanted)
}

/// Memory for so many products, or for fewer where what is free lies in too small pieces.
fn others<'a>(
    device: &'a Device,
    side: u32,
    wanted: u64,
    journal: &mut Journal,
) -> Result<Vec<Buffer<'a>>, Stop> {
    let mut others = Vec::new();
    while (others.len() as u64) < wanted {
        match device.buffer(elements(side), Source::Driver) {
            Ok(product) => others.push(product),
            Err(failure) if failure.code == Some(OUT_OF_MEMORY) => {
                let fit = others.len() as u64 + 1;
                let text = format!("there is room for {fit} products and not for {}", wanted + 1);
                // What remains is a load of its own kind only if it is most of what it should be.
                if fit < FEWEST_PRODUCTS || 2 * fit < wanted + 1 {
                    return Err(Failure { why: format!("{}; {text}", failure.why), ..failure }.into());
                }
                journal.write(&Line::Note { text })?;
                break;
            }
            Err(failure) => return Err(failure.into()),
        }
    }
    Ok(others)
}

/// The rows of the matrices, and how many seconds a product takes: as many rows as were asked for, or a half, a quarter … of it, so that everything fits and no product
/// takes too long. The small ones are tried first, so that none ever does.
fn side_for(device: &Device, amount: &Amount, journal: &mut Journal) -> Result<(u32, f64), Stop> {
    // The first launch brings the code to the card, which takes memory as well.
    let (_, sides) = fitting(device, amount.side, amount.share)?;
    timed(device, sides.last().copied().unwrap_or(amount.side))?;
    let (_, mut fitting) = fitting(device, amount.side, amount.share)?;
    let smallest = fitting.pop().unwrap_or(amount.side);
    let (mut side, mut seconds) = (smallest, timed(device, smallest)?);
    if seconds > LONGEST {
        let text = format!("a product of matrices with {side} rows takes {seconds:.2} s");
        journal.write(&Line::Note { text })?;
    }
    while let Some(larger) = fitting.pop() {
        let expected = seconds * (f64::from(larger) / f64::from(side)).powi(3);
        if expected >= LONGEST {
            break;
        }
        let taken = timed(device, larger)?;
        if taken >= LONGEST {
            break;
        }
        (side, seconds) = (larger, taken);
    }
    Ok((side, seconds))
}

/// What is free, and the rows with which two matrices and two products fit into its share: `most`, a half of it, a quarter …
/// At least one number.
fn fitting(device: &Device, most: u32, share: f64) -> Result<(u64, Vec<u32>), Failure> {
    let (free, _) = device.memory()?;
    let halved = |side: &u32| (side / 2 >= SMALLEST).then_some(side / 2);
    let fits = |side: &u32| products_in(budget(free, share), *side) >= FEWEST_PRODUCTS;
    let fitting: Vec<u32> = iter::successors(Some(most), halved).filter(fits).collect();
    if fitting.is_empty() {
        let why = format!("{:.1} MB are free, too little for a load", free as f64 / 1e6);
        return Err(Failure { doing: "looking for room".to_owned(), code: None, why });
    }
    Ok((free, fitting))
}

/// How long one product takes, in seconds.
fn timed(device: &Device, side: u32) -> Result<f64, Failure> {
    let matrix = || device.buffer(elements(side), Source::Driver);
    let (mut a, mut b, mut product) = (matrix()?, matrix()?, matrix()?);
    device.fill(&mut a, SEEDS.0)?;
    device.fill(&mut b, SEEDS.1)?;
    device.synchronise()?;
    let started = Instant::now();
    device.multiply(&a, &b, &mut product, side)?;
    device.synchronise()?;
    let seconds = started.elapsed().as_secs_f64();
    [a, b, product].into_iter().try_for_each(Buffer::free)?;
    Ok(seconds)
}

/// cuBLAS, if it is there and finds what our kernel finds.
fn trusted(device: &Device, side: u32, journal: &mut Journal) -> Result<Option<cublas::Library>, Stop> {
    /// Enough to see what it computes with.
    const MOST_ROWS: u32 = 1024;
    let side = side.min(MOST_ROWS);
    let opened = cublas::Library::open();
    let agrees = |library: &cublas::Library| {
        let matrix = || device.buffer(elements(side), Source::Driver);
        let (mut a, mut b, mut ours, mut theirs) = (matrix()?, matrix()?, matrix()?, matrix()?);
        device.fill(&mut a, SEEDS.0)?;
        device.fill(&mut b, SEEDS.1)?;
        device.multiply(&a, &b, &mut ours, side)?;
        library.multiply(&a, &b, &mut theirs, side)?;
        let different = check::different(&ours, &theirs, side)?;
        [a, b, ours, theirs].into_iter().try_for_each(Buffer::free)?;
        Ok::<_, Failure>(different)
    };
    let doubt = match opened {
        Err(why) => why,
        Ok(library) => match agrees(&library) {
            Ok(0) => return Ok(Some(library)),
            Ok(different) => format!("{} finds other products ({different} elements)", library.path()),
            // What the card itself answers is not the library's fault.
            Err(failure) if failure.code.is_some() => return Err(failure.into()),
            Err(failure) => format!("{}: {}", library.path(), failure.why),
        },
    };
    let text = format!("gpulint's own kernel multiplies, which is slower than cuBLAS: {doubt}");
    journal.write(&Line::Note { text })?;
    Ok(None)
}

fn budget(free: u64, share: f64) -> u64 {
    (free as f64 * share) as u64
}

/// How many products fit beside the two matrices and the numbers of differences.
fn products_in(budget: u64, side: u32) -> u64 {
    // Small matrices share blocks, large ones have their own.
    let all = if bytes(side) < BLOCK { bytes(side) } else { bytes(side).next_multiple_of(BLOCK) };
    (budget.saturating_sub(BLOCK) / all).saturating_sub(2)
}

fn elements(side: u32) -> usize {
    side as usize * side as usize
}

/// Of one matrix.
fn bytes(side: u32) -> u64 {
    4 * u64::from(side).pow(2)
}
