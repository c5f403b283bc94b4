//! Numbers with a fraction, computed and written as CPython does.

use super::values::Value;
use crate::code::Operator;

/// Whole numbers beyond this have no float of their own.
const EXACT: i64 = 1 << 53;

/// A number as a float; `None` for what is no number, and for one that a float cannot hold.
pub(crate) fn as_float(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Value::Int(number, _) if (-EXACT..=EXACT).contains(number) => Some(*number as f64),
        _ => None,
    }
}

/// What an operator makes of two floats; `None` where it refuses them, or the last digit depends on the machine.
pub(crate) fn calculated(operator: Operator, a: f64, b: f64) -> Option<f64> {
    let made = match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide if b != 0.0 => a / b,
        Operator::FloorDivide if b != 0.0 => {
            let quotient = ((a - rest(a, b)) / b).floor();
            if (a - rest(a, b)) / b - quotient > 0.5 { quotient + 1.0 } else { quotient }
        }
        Operator::Remainder if b != 0.0 => rest(a, b),
        Operator::Power if b == 2.0 => a * a,
        Operator::Power if b == 0.5 && a >= 0.0 => a.sqrt(),
        _ => return None,
    };
    made.is_finite().then_some(made)
}

/// `a % b`, which has the sign of `b`.
fn rest(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
}

/// `round(number, digits)`: to the even one where two are as near.
pub(crate) fn rounded(number: f64, digits: usize) -> Option<f64> {
    const MOST: usize = 15;
    (digits <= MOST && number.abs() < 1e15).then(|| format!("{number:.digits$}").parse().ok())?
}

/// The whole number that `int(number)` gives.
pub(crate) fn truncated(number: f64) -> Option<i64> {
    (number.abs() < EXACT as f64).then_some(number as i64)
}

/// What `repr` writes: as few digits as tell the number from all others.
pub(crate) fn written(number: f64) -> String {
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..16).contains(&exponent) => {
            format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
        }
        _ => {
            let text = number.to_string();
            if text.contains('.') { text } else { text + ".0" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_as_python_does() {
        let texts =
            [0.1, 1.0, -0.0, 1e16, 1e-5, 123456789.125, 0.1 + 0.2, 1.5e300, 9999999999999998.0].map(written);
        let expected = [
            "0.1",
            "1.0",
            "-0.0",
            "1e+16",
            "1e-05",
            "123456789.125",
            "0.30000000000000004",
            "1.5e+300",
            "9999999999999998.0",
        ];
        assert_eq!(texts.map(String::from), expected.map(String::from));
    }

    #[test]
    fn divides_and_rounds_as_python_does() {
        assert_eq!(calculated(Operator::FloorDivide, -7.5, 2.0), Some(-4.0));
        assert_eq!(calculated(Operator::Remainder, -7.5, 2.0), Some(0.5));
        assert_eq!(calculated(Operator::Remainder, 7.5, -2.0), Some(-0.5));
        assert_eq!((rounded(2.675, 2), rounded(0.5, 0), rounded(1.5, 0)), (Some(2.67), Some(0.0), Some(2.0)));
    }
}
