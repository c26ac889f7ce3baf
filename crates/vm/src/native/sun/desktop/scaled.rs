//! `sun.java2d.loops.ScaledBlit`: an opaque image, larger or smaller, without mixing pixels. The library's
//! own way would look up another pixel where two are equally near.

use super::gray::Depth;
use super::mask_blit::{Clip, Pixels};
use crate::frame::Res;
use crate::native::Args;
use crate::value::Ref;
use crate::vm::Vm;

/// How an image keeps its colours. Those with alpha are only written, with opaque pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// `IntRgb`, `IntArgb` and `IntArgbPre`.
    Rgb,
    /// `IntBgr`.
    Bgr,
    /// `ThreeByteBgr` and `FourByteAbgr`.
    Bytes,
    Gray(Depth),
}

impl Format {
    /// What a loop takes or gives.
    fn of(vm: &mut Vm, loops: Ref, field: &str) -> Res<Format> {
        const KINDS: [(&str, Format); 5] = [
            ("IntBgr", Format::Bgr),
            ("ThreeByteBgr", Format::Bytes),
            ("FourByteAbgr", Format::Bytes),
            ("ByteGray", Format::Gray(Depth::Byte)),
            ("UshortGray", Format::Gray(Depth::Short)),
        ];
        for (name, format) in KINDS {
            if super::has_type(vm, loops, field, name)? {
                return Ok(format);
            }
        }
        Ok(Format::Rgb)
    }

    /// The pixel at a place, as an opaque colour.
    fn load(self, vm: &Vm, pixels: &Pixels, at: u32) -> u32 {
        match self {
            Format::Rgb => pixels.load(vm, at) | 0xFF00_0000,
            Format::Bgr => pixels.load(vm, at).swap_bytes() >> 8 | 0xFF00_0000,
            Format::Bytes => pixels.load_bytes(vm, at) | 0xFF00_0000,
            Format::Gray(depth) => depth.to_argb(pixels.load(vm, at)),
        }
    }

    fn store(self, vm: &mut Vm, pixels: &Pixels, at: u32, argb: u32) {
        match self {
            Format::Rgb => pixels.store(vm, at, argb),
            Format::Bgr => pixels.store(vm, at, argb.swap_bytes() >> 8),
            Format::Bytes => pixels.store_bytes(vm, at, argb),
            Format::Gray(depth) => pixels.store(vm, at, depth.of_rgb(argb)),
        }
    }
}

/// One direction of the scaling: whole numbers with `shift` bits behind the point, that are exact at the
/// first pixel of every tile and lose a little with every step from there.
#[derive(Debug, Clone, Copy)]
struct Axis {
    first: i64,
    end: i64,
    origin: f64,
    scale: f64,
    step: i64,
    src_start: i64,
    src_end: i64,
}

#[expect(clippy::cast_possible_truncation, reason = "coordinates were of type int")]
impl Axis {
    fn new(src: (i64, i64), dst: (f64, f64), shift: u32) -> Axis {
        let width = src.1 - src.0;
        let scale = narrow(width) / (dst.1 - dst.0) * narrow(1 << shift);
        let step = if dst.1 - dst.0 < 1.0 { width << shift } else { scale as i64 };
        let [first, end] = [dst.0, dst.1].map(|edge| (edge - 0.5).ceil() as i64);
        Axis { first, end, origin: dst.0, scale, step, src_start: src.0, src_end: src.1 }
    }

    /// Where a pixel of the destination comes from.
    fn source(&self, at: i64, tile: i64, shift: u32) -> Option<i64> {
        let start = self.first + ((at - self.first) & !(tile - 1));
        let exact = ((narrow(start) + 0.5 - self.origin) * self.scale - 0.5).ceil() as i64;
        let place = self.src_start + ((exact + self.step * (at - start)) >> shift);
        (self.src_start..self.src_end).contains(&place).then_some(place)
    }
}

/// A number of at most 32 bits.
fn narrow(number: i64) -> f64 {
    f64::from(i32::try_from(number).unwrap_or(i32::MAX))
}

/// How many bits behind the point there is room for.
fn precision(size: i64) -> u32 {
    if size > 0 { size.leading_zeros().saturating_sub(33) } else { 0 }
}

/// How many pixels may be stepped over before the place is computed anew.
fn tile_size(shift: u32, steps: (i64, i64)) -> i64 {
    let step = steps.0.min(steps.1);
    if step <= 0 {
        return 1;
    }
    let bits = shift.min(63 - step.leading_zeros());
    1 << (if bits >= 16 { bits - 8 } else { bits / 2 })
}

/// `ScaledBlit.Scale`.
pub(super) fn scale(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let loops = args.reference();
    let (src, dst) = (args.reference(), args.reference());
    args.reference();
    let clip = args.reference();
    let mut int = || i64::from(args.int());
    let (left, top, right, bottom) = (int(), int(), int(), int());
    let mut double = || args.double();
    let (dst_left, dst_top, dst_right, dst_bottom) = (double(), double(), double(), double());
    let (Some(src), Some(dst)) = (Pixels::of(vm, src)?, Pixels::of(vm, dst)?) else {
        return Err(vm.throw("java/lang/UnsatisfiedLinkError", "ScaledBlit of such surfaces"));
    };
    let (from, to) = (Format::of(vm, loops, "sourceType")?, Format::of(vm, loops, "destType")?);
    let clip = Clip::of(vm, clip)?;
    let shift = precision((right - left) | (bottom - top));
    let across = Axis::new((left, right), (dst_left, dst_right), shift);
    let down = Axis::new((top, bottom), (dst_top, dst_bottom), shift);
    let tile = tile_size(shift, (across.step, down.step));
    for y in down.first.max(0)..down.end.min(dst.height) {
        let Some(src_y) = down.source(y, tile, shift).filter(|y| (0..src.height).contains(y))
        else {
            continue;
        };
        for x in across.first.max(0)..across.end.min(dst.width) {
            let Some(src_x) = across.source(x, tile, shift).filter(|x| (0..src.width).contains(x))
            else {
                continue;
            };
            if !clip.contains(x, y) {
                continue;
            }
            let (Some(src_at), Some(dst_at)) = (src.at(vm, src_x, src_y), dst.at(vm, x, y)) else {
                continue;
            };
            if from == to && matches!(from, Format::Gray(_)) {
                let gray = src.load(vm, src_at);
                dst.store(vm, dst_at, gray);
            } else {
                let argb = from.load(vm, &src, src_at);
                to.store(vm, &dst, dst_at, argb);
            }
        }
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::{Axis, precision, tile_size};

    #[test]
    fn what_lies_between_two_pixels_comes_from_the_second() {
        let shift = precision(16 | 4);
        let (across, down) =
            (Axis::new((0, 16), (1.0, 10.0), shift), Axis::new((0, 4), (1.0, 4.0), shift));
        let tile = tile_size(shift, (across.step, down.step));
        let columns: Vec<_> = (1..10).filter_map(|x| across.source(x, tile, shift)).collect();
        assert_eq!(columns, [0, 2, 4, 6, 8, 9, 11, 13, 15]);
        let rows: Vec<_> = (1..4).filter_map(|y| down.source(y, tile, shift)).collect();
        assert_eq!(rows, [0, 2, 3]);
    }
}
