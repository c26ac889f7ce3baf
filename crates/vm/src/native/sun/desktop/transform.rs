//! `sun.java2d.loops.TransformHelper`: an image under a transform, into one with premultiplied alpha that
//! the library then draws. Every pixel looks back where it comes from, in numbers with 32 bits behind the
//! point, and takes the nearest pixel, or 4 or 16 around it by how near they are.

use super::mask_blit::{Pixels, mul};
use crate::frame::Res;
use crate::heap::ELEMENTS_OFFSET;
use crate::native::Args;
use crate::value::Ref;
use crate::vm::Vm;

const BILINEAR: i32 = 2;
const BICUBIC: i32 = 3;
const HALF: i64 = 1 << 31;

/// What the highest byte of a pixel means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alpha {
    /// Nothing: all pixels are opaque.
    None,
    /// The other bytes are to be multiplied with it.
    Straight,
    /// They are so already.
    Premultiplied,
}

/// The part of an image that is drawn.
struct Source {
    pixels: Pixels,
    alpha: Alpha,
    left: i64,
    top: i64,
    width: i64,
    height: i64,
}

impl Source {
    /// A pixel, or the nearest at the border.
    fn at(&self, vm: &Vm, x: i64, y: i64) -> u32 {
        let x = self.left + x.clamp(0, self.width - 1);
        let y = self.top + y.clamp(0, self.height - 1);
        let pixel = self.pixels.at(vm, x, y).map_or(0, |at| self.pixels.load(vm, at));
        match self.alpha {
            Alpha::None => pixel | 0xFF00_0000,
            Alpha::Premultiplied => pixel,
            Alpha::Straight => {
                let alpha = pixel >> 24;
                let part = |shift: u32| mul(alpha, pixel >> shift & 0xFF) << shift;
                alpha << 24 | part(16) | part(8) | part(0)
            }
        }
    }

    fn contains(&self, x: i64, y: i64) -> bool {
        (0..self.width).contains(&(x >> 32)) && (0..self.height).contains(&(y >> 32))
    }

    fn nearest(&self, vm: &Vm, x: i64, y: i64) -> u32 {
        self.at(vm, x >> 32, y >> 32)
    }

    fn bilinear(&self, vm: &Vm, x: i64, y: i64) -> u32 {
        let ((x, x_part), (y, y_part)) = (split(x - HALF), split(y - HALF));
        let rows = [y, y + 1].map(|y| [self.at(vm, x, y), self.at(vm, x + 1, y)]);
        let mut pixel = 0;
        for shift in [0, 8, 16, 24] {
            let part = |pixel: u32| i64::from(pixel >> shift & 0xFF);
            let [above, below] =
                rows.map(|[left, right]| (part(left) << 8) + (part(right) - part(left)) * x_part);
            let mixed = (above << 8) + (below - above) * y_part;
            pixel |= u32::try_from((mixed + (1 << 15)) >> 16 & 0xFF).unwrap_or(0) << shift;
        }
        pixel
    }

    fn bicubic(&self, vm: &Vm, weights: &[i64; 513], x: i64, y: i64) -> u32 {
        let ((x, x_part), (y, y_part)) = (split(x - HALF), split(y - HALF));
        let around = |part: i64| {
            [256 + part, part, 256 - part, 512 - part]
                .map(|idx| weights[usize::try_from(idx).unwrap_or(0)])
        };
        let (across, down) = (around(x_part), around(y_part));
        let mut sums = [1i64 << 15; 4];
        for (row, dy) in down.into_iter().zip(-1..) {
            for (column, dx) in across.into_iter().zip(-1..) {
                let pixel = self.at(vm, x + dx, y + dy);
                for (sum, shift) in sums.iter_mut().zip([24, 16, 8, 0]) {
                    *sum += i64::from(pixel >> shift & 0xFF) * row * column;
                }
            }
        }
        // No part is more than the alpha that it was multiplied with.
        let alpha = (sums[0] >> 16).clamp(0, 255);
        let parts = sums.map(|sum| u32::try_from((sum >> 16).clamp(0, alpha)).unwrap_or(0));
        parts[0] << 24 | parts[1] << 16 | parts[2] << 8 | parts[3]
    }
}

/// Whole part, and 8 bits of the rest.
fn split(number: i64) -> (i64, i64) {
    (number >> 32, number >> 24 & 0xFF)
}

/// How much a pixel counts by its distance, in 256ths: a cubic convolution with the parameter -0.5, mended
/// so that the weights around a point always make a whole.
#[expect(clippy::cast_possible_truncation, reason = "small numbers")]
fn cubic_weights() -> [i64; 513] {
    const A: f64 = -0.5;
    let mut weights = [0; 513];
    for (weight, idx) in weights.iter_mut().zip(0..384u32) {
        let x = f64::from(idx) / 256.0;
        let value = if idx < 256 {
            ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
        } else {
            ((A * x - 5.0 * A) * x + 8.0 * A) * x - 4.0 * A
        };
        *weight = (value * 256.0) as i64;
    }
    weights[384] = (256 - weights[128] * 2) / 2;
    for idx in 385..=512 {
        weights[idx] = 256 - (weights[512 - idx] + weights[idx - 256] + weights[768 - idx]);
    }
    weights
}

#[expect(clippy::cast_possible_truncation, reason = "far outside counts as far outside")]
fn fixed(number: f64) -> i64 {
    (number * 4_294_967_296.0) as i64
}

/// The inverse of the transform: how x and y change with x, with y, and where they begin.
fn coefficients(vm: &mut Vm, transform: Ref) -> Res<[f64; 6]> {
    let class = vm.boot_class("java/awt/geom/AffineTransform")?;
    Ok(["m00", "m10", "m01", "m11", "m02", "m12"].map(|name| {
        let offset = vm.field_offset(class, name, "D");
        f64::from_bits(vm.heap.load_u64(transform, offset))
    }))
}

/// Which images a loop takes pixels from.
pub(super) fn alpha_of(vm: &mut Vm, helper: Ref) -> Res<Alpha> {
    if super::has_type(vm, helper, "sourceType", "IntRgb")? {
        return Ok(Alpha::None);
    }
    let is_straight = super::has_type(vm, helper, "sourceType", "IntArgb")?;
    Ok(if is_straight { Alpha::Straight } else { Alpha::Premultiplied })
}

/// `TransformHelper.Transform`; the array of edges gets the first and last row and, for every row, the
/// pixels that come from inside the image.
pub(super) fn transform(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let helper = args.reference();
    args.reference();
    let (src, dst) = (args.reference(), args.reference());
    args.reference();
    args.reference();
    let [xx, yx, xy, yy, x0, y0] = coefficients(vm, args.reference())?;
    let kind = args.int();
    let mut int = || i64::from(args.int());
    let (left, top, right, bottom) = (int(), int(), int(), int());
    let (dst_left, dst_top, dst_right, dst_bottom) = (int(), int(), int(), int());
    let edges = args.reference();
    let (x_offset, y_offset) = (args.int(), args.int());
    let (Some(pixels), Some(dst)) = (Pixels::of(vm, src)?, Pixels::of(vm, dst)?) else {
        return Err(vm.throw("java/lang/UnsatisfiedLinkError", "TransformHelper of such surfaces"));
    };
    let alpha = alpha_of(vm, helper)?;
    let (width, height) = (right - left, bottom - top);
    let source = Source { pixels, alpha, left, top, width, height };
    let weights = if kind == BICUBIC { cubic_weights() } else { [0; 513] };
    let (right, bottom) = (dst_right.min(dst.width), dst_bottom.min(dst.height));
    let (x_step, y_step) = ([fixed(xx), fixed(yx)], [fixed(xy), fixed(yy)]);
    let first_x = f64::from(x_offset) + narrow(dst_left) + 0.5;
    let first_y = f64::from(y_offset) + narrow(dst_top) + 0.5;
    let mut row =
        [fixed(first_x * xx + first_y * xy + x0), fixed(first_x * yx + first_y * yy + y0)];
    let mut told = vec![dst_top, bottom];
    for y in dst_top..bottom {
        let place = |x: i64| {
            let n = x - dst_left;
            [0, 1].map(|idx| row[idx].wrapping_add(x_step[idx].wrapping_mul(n)))
        };
        let is_inside = |x: &i64| {
            let [from_x, from_y] = place(*x);
            source.contains(from_x, from_y)
        };
        let start = (dst_left..right).find(is_inside).unwrap_or(right);
        let end = (start..right).rev().find(is_inside).map_or(start, |x| x + 1);
        told.extend([start, end]);
        for x in start..end {
            let [from_x, from_y] = place(x);
            let pixel = match kind {
                BILINEAR => source.bilinear(vm, from_x, from_y),
                BICUBIC => source.bicubic(vm, &weights, from_x, from_y),
                _ => source.nearest(vm, from_x, from_y),
            };
            if let Some(at) = dst.at(vm, x, y) {
                dst.store(vm, at, pixel);
            }
        }
        row = [0, 1].map(|idx| row[idx].wrapping_add(y_step[idx]));
    }
    if let Some(edges) = edges.some() {
        for (value, idx) in told.into_iter().zip(0..vm.heap.array_length(edges)) {
            let value = i32::try_from(value).unwrap_or(0);
            vm.heap.store_u32(edges, ELEMENTS_OFFSET + idx * 4, value.cast_unsigned());
        }
    }
    Ok(0)
}

/// A coordinate, which was an `int`.
fn narrow(coordinate: i64) -> f64 {
    f64::from(i32::try_from(coordinate).unwrap_or(0))
}
