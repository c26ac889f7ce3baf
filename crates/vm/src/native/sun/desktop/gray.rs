//! Gray images: colours become gray and gray becomes a colour by fixed weights, without the colour spaces that
//! the library's loops in Java would go through; and what is partly transparent is mixed in gray.

use super::mask_blit::{Pixels, SRC, SRC_OVER, shares};
use super::transform::Alpha;
use crate::frame::Res;
use crate::native::Args;
use crate::vm::Vm;

/// How finely an image tells grays apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// `ByteGray`.
    Byte,
    /// `UshortGray`.
    Short,
}

/// What is drawn onto a gray pixel: its gray and alpha, what that alpha means, the alpha of everything that is
/// drawn, and how much of the pixel it covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layer {
    pub(super) gray: u32,
    pub(super) alpha: u32,
    pub(super) kind: Alpha,
    pub(super) extra: u32,
    pub(super) coverage: u32,
}

impl Depth {
    /// The lightest gray, and the alpha of what is opaque.
    pub(super) fn max(self) -> u32 {
        match self {
            Depth::Byte => 0xFF,
            Depth::Short => 0xFFFF,
        }
    }

    /// A byte as a number of this depth.
    pub(super) fn widened(self, byte: u32) -> u32 {
        match self {
            Depth::Byte => byte,
            Depth::Short => byte * 0x101,
        }
    }

    /// The gray of a colour.
    pub(super) fn of_rgb(self, rgb: u32) -> u32 {
        let [red, green, blue] = [16, 8, 0].map(|shift| rgb >> shift & 0xFF);
        match self {
            Depth::Byte => (77 * red + 150 * green + 29 * blue + 128) >> 8,
            Depth::Short => (19_672 * red + 38_621 * green + 7_500 * blue) >> 8,
        }
    }

    /// The opaque colour of a gray.
    pub(super) fn to_argb(self, gray: u32) -> u32 {
        let byte = match self {
            Depth::Byte => gray,
            Depth::Short => gray >> 8,
        };
        0xFF00_0000 | (byte * 0x1_0101)
    }

    fn mul(self, a: u32, b: u32) -> u32 {
        match self {
            Depth::Byte => super::mask_blit::mul(a, b),
            Depth::Short => a * b / 0xFFFF,
        }
    }

    fn div(self, a: u32, by: u32) -> u32 {
        match self {
            Depth::Byte => super::mask_blit::div(a, by),
            Depth::Short => (a * 0xFFFF / by).min(0xFFFF),
        }
    }

    /// A layer over a gray pixel, by one of the rules of Porter and Duff.
    pub(super) fn composed(self, rule: u32, layer: Layer, below: u32) -> u32 {
        let max = self.max();
        let Layer { gray, alpha, kind, extra, coverage } = layer;
        let is_premultiplied = kind == Alpha::Premultiplied;
        let (factor, above, of_dst) = if rule == SRC_OVER {
            let factor = self.mul(coverage, extra);
            let above = self.mul(factor, alpha);
            if above == 0 {
                return below;
            }
            (factor, above, max - above)
        } else {
            let src_alpha = self.mul(extra, alpha);
            if rule == SRC && extra == max && coverage == max && !is_premultiplied {
                return gray;
            }
            let (mut of_src, mut of_dst) = shares(rule, max, src_alpha, max);
            if coverage != max {
                of_src = self.mul(coverage, of_src);
                of_dst = max - coverage + self.mul(coverage, of_dst);
            }
            let above = self.mul(of_src, src_alpha);
            if above == 0 && of_dst == max {
                return below;
            }
            (self.mul(of_src, extra), above, of_dst)
        };
        let share = if is_premultiplied { factor } else { above };
        let sum = if self == Depth::Short && rule == SRC_OVER && kind != Alpha::None {
            // Both products are divided together.
            (share * gray + of_dst * below) / 0xFFFF
        } else {
            self.mul(share, gray) + self.mul(of_dst, below)
        };
        let alpha = above + of_dst;
        if alpha > 0 && alpha < max { self.div(sum, alpha) } else { sum.min(max) }
    }
}

/// The gray of a pixel with four bytes, and its alpha, both of a depth.
pub(super) fn gray_and_alpha(depth: Depth, alpha: Alpha, pixel: u32) -> (u32, u32) {
    let opacity = if alpha == Alpha::None { 0xFF } else { pixel >> 24 };
    (depth.of_rgb(pixel), depth.widened(opacity))
}

/// `Blit.Blit` between `IntArgb` and a gray, or between two images of the same gray.
pub(super) fn blit(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let (src, dst) = (args.reference(), args.reference());
    args.reference();
    let clip = args.reference();
    let mut int = || i64::from(args.int());
    let (src_x, src_y, dst_x, dst_y) = (int(), int(), int(), int());
    let (width, height) = (int(), int());
    let (Some(src), Some(dst)) = (Pixels::of(vm, src)?, Pixels::of(vm, dst)?) else {
        return Err(vm.throw("java/lang/UnsatisfiedLinkError", "Blit of such surfaces"));
    };
    let clip = super::mask_blit::Clip::of(vm, clip)?;
    for y in dst_y.max(0).max(dst_y - src_y)..(dst_y + height).min(dst.height) {
        for x in dst_x.max(0).max(dst_x - src_x)..(dst_x + width).min(dst.width) {
            let (from_x, from_y) = (x - dst_x + src_x, y - dst_y + src_y);
            if from_x >= src.width || from_y >= src.height || !clip.contains(x, y) {
                continue;
            }
            let (Some(from), Some(to)) = (src.at(vm, from_x, from_y), dst.at(vm, x, y)) else {
                continue;
            };
            let pixel = src.load(vm, from);
            let pixel = match (src.depth(), dst.depth()) {
                (None, Some(depth)) => depth.of_rgb(pixel),
                (Some(depth), None) => depth.to_argb(pixel),
                _ => pixel,
            };
            dst.store(vm, to, pixel);
        }
    }
    Ok(0)
}

/// `FillRect.FillRect` in gray.
pub(super) fn fill_rect(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let (graphics, dst) = (args.reference(), args.reference());
    let mut int = || i64::from(args.int());
    let (left, top, width, height) = (int(), int(), int(), int());
    let Some(dst) = Pixels::of(vm, dst)? else {
        return Err(vm.throw("java/lang/UnsatisfiedLinkError", "FillRect of such a surface"));
    };
    let class = vm.boot_class("sun/java2d/SunGraphics2D")?;
    let pixel = vm.heap.load_u32(graphics, vm.field_offset(class, "pixel", "I"));
    let offset = vm.field_offset(class, "clipRegion", "Lsun/java2d/pipe/Region;");
    let clip = vm.heap.load_ref(graphics, offset);
    let clip = super::mask_blit::Clip::of(vm, clip)?;
    for y in top.max(0)..(top + height).min(dst.height) {
        for x in left.max(0)..(left + width).min(dst.width) {
            let Some(at) = dst.at(vm, x, y).filter(|_| clip.contains(x, y)) else { continue };
            dst.store(vm, at, pixel);
        }
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::{Alpha, Depth, Layer, SRC, SRC_OVER};

    fn layer(gray: u32, alpha: u32, depth: Depth) -> Layer {
        let max = depth.max();
        Layer { gray, alpha, kind: Alpha::Straight, extra: max, coverage: max }
    }

    #[test]
    fn the_gray_of_a_gray_colour_is_that_gray() {
        for byte in 0..=255 {
            let rgb = byte * 0x1_0101;
            assert_eq!(Depth::Byte.of_rgb(rgb), byte);
            assert_eq!(Depth::Short.of_rgb(rgb), byte * 0x101);
            for depth in [Depth::Byte, Depth::Short] {
                assert_eq!(depth.to_argb(depth.of_rgb(rgb)), rgb | 0xFF00_0000);
            }
        }
    }

    #[test]
    fn an_opaque_layer_covers_and_a_transparent_one_shows_what_is_below() {
        for depth in [Depth::Byte, Depth::Short] {
            assert_eq!(depth.composed(SRC_OVER, layer(17, depth.max(), depth), 99), 17);
            assert_eq!(depth.composed(SRC_OVER, layer(17, 0, depth), 99), 99);
            assert_eq!(depth.composed(SRC, layer(17, 0, depth), 99), 17);
        }
    }
}
