//! 64-bit arithmetic that never wraps and never panics: shared by constants and by the machine.

use thiserror::Error;

/// Why a result does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ArithmeticError {
    /// The result does not fit into 64 bits with a sign.
    #[error("integer overflow: {0} {1} {2} does not fit into 64 bits")]
    Overflow(i64, &'static str, i64),
    /// The negation does not fit.
    #[error("integer overflow: -({0}) does not fit into 64 bits")]
    NegateOverflow(i64),
    /// `/` or `%` by zero.
    #[error("division by zero: {0} {1} 0")]
    DivisionByZero(i64, &'static str),
}

/// The operations on two numbers that the machine knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Min,
    Max,
}

impl Operator {
    #[inline]
    pub(crate) fn apply(self, left: i64, right: i64) -> Result<i64, ArithmeticError> {
        use Operator::*;
        let overflow = |sign| ArithmeticError::Overflow(left, sign, right);
        match self {
            Add => left.checked_add(right).ok_or_else(|| overflow("+")),
            Subtract => left.checked_sub(right).ok_or_else(|| overflow("-")),
            Multiply => left.checked_mul(right).ok_or_else(|| overflow("*")),
            Divide if right == 0 => Err(ArithmeticError::DivisionByZero(left, "/")),
            Divide => left.checked_div(right).ok_or_else(|| overflow("/")),
            Remainder if right == 0 => Err(ArithmeticError::DivisionByZero(left, "%")),
            // The smallest number divided by -1 leaves nothing, although the quotient does not fit.
            Remainder => Ok(left.wrapping_rem(right)),
            Equal => Ok(i64::from(left == right)),
            NotEqual => Ok(i64::from(left != right)),
            Less => Ok(i64::from(left < right)),
            LessEqual => Ok(i64::from(left <= right)),
            Greater => Ok(i64::from(left > right)),
            GreaterEqual => Ok(i64::from(left >= right)),
            Min => Ok(left.min(right)),
            Max => Ok(left.max(right)),
        }
    }
}

pub(crate) fn negate(value: i64) -> Result<i64, ArithmeticError> {
    value.checked_neg().ok_or(ArithmeticError::NegateOverflow(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_errors_or_exact() {
        assert_eq!(Operator::Remainder.apply(i64::MIN, -1), Ok(0));
        assert_eq!(Operator::Remainder.apply(-7, 3), Ok(-1));
        assert_eq!(Operator::Divide.apply(-7, 2), Ok(-3));
        assert!(Operator::Divide.apply(i64::MIN, -1).is_err());
        assert!(Operator::Divide.apply(1, 0).is_err());
        assert!(Operator::Remainder.apply(1, 0).is_err());
        assert!(Operator::Add.apply(i64::MAX, 1).is_err());
        assert!(Operator::Subtract.apply(i64::MIN, 1).is_err());
        assert!(Operator::Multiply.apply(i64::MAX, 2).is_err());
        assert!(negate(i64::MIN).is_err());
        assert_eq!(Operator::Min.apply(2, -3), Ok(-3));
        assert_eq!(Operator::Max.apply(2, -3), Ok(2));
    }
}
