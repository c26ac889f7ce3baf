//! The constants that the algorithms look up, as tables of bit patterns.
//!
//! Every number is a correctly rounded value of the formula in its table's documentation, unless that says otherwise.

pub(super) mod cbrt;
pub(super) mod exponential;
pub(super) mod logarithm;
pub(super) mod sine;
pub(super) mod tangent;

/// Rows of doubles from rows of their bits.
const fn doubles<const WIDTH: usize, const ROWS: usize>(
    bits: [[u64; WIDTH]; ROWS],
) -> [[f64; WIDTH]; ROWS] {
    let mut rows = [[0.0; WIDTH]; ROWS];
    let mut row = 0;
    while row < ROWS {
        let mut column = 0;
        while column < WIDTH {
            rows[row][column] = f64::from_bits(bits[row][column]);
            column += 1;
        }
        row += 1;
    }
    rows
}
