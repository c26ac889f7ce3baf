//! The one loop that the library's loops in Java rest on: pixels with alpha over pixels with alpha or over
//! gray ones, through a mask, by any of the rules of Porter and Duff (1984).

use super::gray::{Depth, Layer, gray_and_alpha};
use super::transform::alpha_of;
use crate::frame::Res;
use crate::heap::ELEMENTS_OFFSET;
use crate::native::Args;
use crate::value::Ref;
use crate::vm::Vm;

const OPAQUE: u32 = 0xFF;
/// `AlphaComposite.SRC` and `SRC_OVER`.
pub(super) const SRC: u32 = 2;
pub(super) const SRC_OVER: u32 = 3;

/// The rasters with one array of elements: class, type of the array, bytes per element.
const RASTERS: [(&str, &str, u32); 3] = [
    ("sun/awt/image/IntegerComponentRaster", "[I", 4),
    ("sun/awt/image/ByteComponentRaster", "[B", 1),
    ("sun/awt/image/ShortComponentRaster", "[S", 2),
];

/// An image with one element of an array per pixel: `int` for colours, `byte` or `short` for grays.
#[derive(Clone, Copy)]
pub(super) struct Pixels {
    data: Ref,
    /// Bytes per element.
    size: u32,
    offset: i64,
    /// Where the parts of a pixel begin that lie in elements of their own: red, green, blue, alpha.
    parts: [Option<i64>; 4],
    stride: i64,
    step: i64,
    pub(super) width: i64,
    pub(super) height: i64,
}

impl Pixels {
    /// The image behind a `BufImgSurfaceData`; `None` where it is laid out in another way.
    pub(super) fn of(vm: &mut Vm, surface: Ref) -> Res<Option<Pixels>> {
        let surface_class = vm.boot_class("sun/awt/image/BufImgSurfaceData")?;
        let image_class = vm.boot_class("java/awt/image/BufferedImage")?;
        let raster_class = vm.boot_class("java/awt/image/Raster")?;
        if surface.is_null() || !vm.instance_of(surface, surface_class) {
            return Ok(None);
        }
        let offset = vm.field_offset(surface_class, "bufImg", "Ljava/awt/image/BufferedImage;");
        let image = vm.heap.load_ref(surface, offset);
        let offset = vm.field_offset(image_class, "raster", "Ljava/awt/image/WritableRaster;");
        let raster = vm.heap.load_ref(image, offset);
        for (name, array, size) in RASTERS {
            let class = vm.boot_class(name)?;
            if !vm.instance_of(raster, class) {
                continue;
            }
            let int = |class, name| {
                let offset = vm.field_offset(class, name, "I");
                i64::from(vm.heap.load_u32(raster, offset).cast_signed())
            };
            let data = vm.heap.load_ref(raster, vm.field_offset(class, "data", array));
            let offsets = vm.heap.load_ref(raster, vm.field_offset(class, "dataOffsets", "[I"));
            if data.is_null() || offsets.is_null() || vm.heap.array_length(offsets) == 0 {
                return Ok(None);
            }
            let parts = [0, 1, 2, 3].map(|idx| {
                let at = ELEMENTS_OFFSET + idx * 4;
                let part = || i64::from(vm.heap.load_u32(offsets, at).cast_signed());
                (idx < vm.heap.array_length(offsets)).then(part)
            });
            let offset = parts[0].unwrap_or(0);
            let (stride, step) = (int(class, "scanlineStride"), int(class, "pixelStride"));
            let (width, height) = (int(raster_class, "width"), int(raster_class, "height"));
            return Ok(Some(Pixels { data, size, offset, parts, stride, step, width, height }));
        }
        Ok(None)
    }

    /// How finely it tells grays apart; `None` for colours.
    pub(super) fn depth(&self) -> Option<Depth> {
        match self.size {
            1 => Some(Depth::Byte),
            2 => Some(Depth::Short),
            _ => None,
        }
    }

    /// Where a pixel lies in the array; `None` outside of it.
    pub(super) fn at(&self, vm: &Vm, x: i64, y: i64) -> Option<u32> {
        let idx = u32::try_from(self.offset + y * self.stride + x * self.step).ok()?;
        (idx < vm.heap.array_length(self.data)).then_some(ELEMENTS_OFFSET + idx * self.size)
    }

    pub(super) fn load(&self, vm: &Vm, at: u32) -> u32 {
        match self.size {
            1 => u32::from(vm.heap.load_u8(self.data, at)),
            2 => u32::from(vm.heap.load_u16(self.data, at)),
            _ => vm.heap.load_u32(self.data, at),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "no gray is more than its depth")]
    pub(super) fn store(&self, vm: &mut Vm, at: u32, pixel: u32) {
        match self.size {
            1 => vm.heap.store_u8(self.data, at, pixel as u8),
            2 => vm.heap.store_u16(self.data, at, pixel as u16),
            _ => vm.heap.store_u32(self.data, at, pixel),
        }
    }
}

impl Pixels {
    /// The colour of a pixel whose parts are bytes of their own.
    pub(super) fn load_bytes(&self, vm: &Vm, at: u32) -> u32 {
        let byte = |at| u32::from(vm.heap.load_u8(self.data, at));
        let parts = [16, 8, 0, 24].into_iter().zip(self.part_places(vm, at));
        parts.fold(0, |argb, (shift, at)| argb | at.map_or(0, byte) << shift)
    }

    /// Writes the colour of such a pixel.
    pub(super) fn store_bytes(&self, vm: &mut Vm, at: u32, argb: u32) {
        for (shift, at) in [16, 8, 0, 24].into_iter().zip(self.part_places(vm, at)) {
            if let Some(at) = at {
                vm.heap.store_u8(self.data, at, argb.to_le_bytes()[shift / 8]);
            }
        }
    }

    /// Where the parts of a pixel lie whose first one lies at a place.
    fn part_places(&self, vm: &Vm, at: u32) -> [Option<u32>; 4] {
        let end = ELEMENTS_OFFSET + vm.heap.array_length(self.data);
        self.parts.map(|part| {
            let place = u32::try_from(i64::from(at) + part? - self.offset).ok()?;
            (ELEMENTS_OFFSET..end).contains(&place).then_some(place)
        })
    }
}

/// `MaskBlit.MaskBlit` from `IntArgb` to `IntArgb`, and from colours to gray.
pub(super) fn mask_blit(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let loops = args.reference();
    let (src, dst) = (args.reference(), args.reference());
    let (composite, clip) = (args.reference(), args.reference());
    let mut int = || i64::from(args.int());
    let (src_x, src_y, dst_x, dst_y) = (int(), int(), int(), int());
    let (width, height) = (int(), int());
    let mask = args.reference();
    let (mask_offset, mask_scan) = (i64::from(args.int()), i64::from(args.int()));
    let alpha_class = vm.boot_class("java/awt/AlphaComposite")?;
    let (Some(src), Some(dst)) = (Pixels::of(vm, src)?, Pixels::of(vm, dst)?) else {
        return Err(vm.throw("java/lang/UnsatisfiedLinkError", "MaskBlit of such surfaces"));
    };
    if composite.is_null() || !vm.instance_of(composite, alpha_class) {
        return Err(vm.throw("java/lang/UnsatisfiedLinkError", "MaskBlit with such a composite"));
    }
    let rule = vm.heap.load_u32(composite, vm.field_offset(alpha_class, "rule", "I"));
    let extra = vm.heap.load_u32(composite, vm.field_offset(alpha_class, "extraAlpha", "F"));
    let extra = f32::from_bits(extra);
    let alpha = alpha_of(vm, loops)?;
    let clip = Clip::of(vm, clip)?;
    for y in dst_y.max(0).max(dst_y - src_y)..(dst_y + height).min(dst.height) {
        for x in dst_x.max(0).max(dst_x - src_x)..(dst_x + width).min(dst.width) {
            let (from_x, from_y) = (x - dst_x + src_x, y - dst_y + src_y);
            if from_x >= src.width || from_y >= src.height || !clip.contains(x, y) {
                continue;
            }
            let coverage = match mask.some() {
                Some(mask) => {
                    let at = mask_offset + (y - dst_y) * mask_scan + (x - dst_x);
                    match u32::try_from(at).ok().filter(|&at| at < vm.heap.array_length(mask)) {
                        Some(at) => u32::from(vm.heap.load_u8(mask, ELEMENTS_OFFSET + at)),
                        None => 0,
                    }
                }
                None => OPAQUE,
            };
            if coverage == 0 {
                continue;
            }
            let (Some(from), Some(to)) = (src.at(vm, from_x, from_y), dst.at(vm, x, y)) else {
                continue;
            };
            let (above, below) = (src.load(vm, from), dst.load(vm, to));
            let pixel = match dst.depth() {
                None => composed(rule, above, below, scaled(extra, OPAQUE), coverage),
                Some(depth) => {
                    let (gray, opacity) = gray_and_alpha(depth, alpha, above);
                    let layer = Layer {
                        gray,
                        alpha: opacity,
                        kind: alpha,
                        extra: scaled(extra, depth.max()),
                        coverage: depth.widened(coverage),
                    };
                    depth.composed(rule, layer, below)
                }
            };
            if pixel != below {
                dst.store(vm, to, pixel);
            }
        }
    }
    Ok(0)
}

/// An alpha between 0 and 1 as a whole number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the maximum")]
fn scaled(alpha: f32, max: u32) -> u32 {
    let max = if max == OPAQUE { 255.0 } else { 65_535.0 };
    (alpha * max + 0.5) as u32
}

/// The part of the destination that may be drawn to.
pub(super) enum Clip {
    All,
    /// Left, top, right and bottom, and the bands of a region that is no rectangle: top, bottom, number of
    /// spans, and the spans, left and right.
    Region([i64; 4], Option<Vec<i64>>),
}

impl Clip {
    pub(super) fn of(vm: &mut Vm, region: Ref) -> Res<Clip> {
        if region.is_null() {
            return Ok(Clip::All);
        }
        let class = vm.boot_class("sun/java2d/pipe/Region")?;
        let int = |name| {
            let offset = vm.field_offset(class, name, "I");
            i64::from(vm.heap.load_u32(region, offset).cast_signed())
        };
        let bounds = [int("lox"), int("loy"), int("hix"), int("hiy")];
        let bands = vm.heap.load_ref(region, vm.field_offset(class, "bands", "[I"));
        let bands = bands.some().map(|bands| {
            let len = vm.heap.array_length(bands).min(u32::try_from(int("endIndex")).unwrap_or(0));
            let element = |idx| vm.heap.load_u32(bands, ELEMENTS_OFFSET + idx * 4).cast_signed();
            (0..len).map(|idx| i64::from(element(idx))).collect()
        });
        Ok(Clip::Region(bounds, bands))
    }

    pub(super) fn contains(&self, x: i64, y: i64) -> bool {
        let Clip::Region([left, top, right, bottom], bands) = self else { return true };
        if x < *left || x >= *right || y < *top || y >= *bottom {
            return false;
        }
        let Some(bands) = bands else { return true };
        let mut rest = bands.as_slice();
        while let &[top, bottom, n, ref behind @ ..] = rest {
            let n = usize::try_from(n).unwrap_or(0).min(behind.len() / 2);
            let (spans, next) = behind.split_at(n * 2);
            if (top..bottom).contains(&y) {
                return spans.chunks_exact(2).any(|span| (span[0]..span[1]).contains(&x));
            }
            rest = next;
        }
        false
    }
}

/// `a * b / 255`, rounded.
pub(super) fn mul(a: u32, b: u32) -> u32 {
    (a * b * 0x1_0101 + 0x80_0000) >> 24
}

/// `a * 255 / by`, rounded, at most 255.
pub(super) fn div(a: u32, by: u32) -> u32 {
    if a >= by {
        return OPAQUE;
    }
    let step = (0xFF00_0000 + by / 2) / by;
    (0x80_0000 + a * step) >> 24
}

/// How much of the source and of the destination a rule takes, by the alpha of the other.
pub(super) fn shares(rule: u32, max: u32, src_alpha: u32, dst_alpha: u32) -> (u32, u32) {
    let (outside_src, outside_dst) = (max - src_alpha, max - dst_alpha);
    match rule {
        SRC => (max, 0),
        SRC_OVER => (max, outside_src),
        4 => (outside_dst, max),
        5 => (dst_alpha, 0),
        6 => (0, src_alpha),
        7 => (outside_dst, 0),
        8 => (0, outside_src),
        9 => (0, max),
        10 => (dst_alpha, outside_src),
        11 => (outside_dst, src_alpha),
        12 => (outside_dst, outside_src),
        _ => (0, 0),
    }
}

/// One pixel over another.
fn composed(rule: u32, src: u32, dst: u32, extra: u32, coverage: u32) -> u32 {
    if rule == SRC && extra == OPAQUE && coverage == OPAQUE {
        return src;
    }
    let (src_alpha, dst_alpha) = (mul(extra, src >> 24), dst >> 24);
    let (above, below) = if rule == SRC_OVER {
        let above = mul(mul(coverage, extra), src >> 24);
        if above == 0 {
            return dst;
        }
        (above, mul(OPAQUE - above, dst_alpha))
    } else {
        let (mut of_src, mut of_dst) = shares(rule, OPAQUE, src_alpha, dst_alpha);
        if coverage != OPAQUE {
            of_src = mul(coverage, of_src);
            of_dst = OPAQUE - coverage + mul(coverage, of_dst);
        }
        let above = mul(of_src, src_alpha);
        if above == 0 && of_dst == OPAQUE {
            return dst;
        }
        (above, mul(of_dst, dst_alpha))
    };
    let alpha = above + below;
    let part = |shift: u32| {
        let (src, dst) = (src >> shift & 0xFF, dst >> shift & 0xFF);
        let sum = mul(above, src) + mul(below, dst);
        if alpha > 0 && alpha < OPAQUE { div(sum, alpha) } else { sum.min(OPAQUE) }
    };
    alpha.min(OPAQUE) << 24 | part(16) << 16 | part(8) << 8 | part(0)
}

#[cfg(test)]
mod tests {
    use super::{OPAQUE, SRC, SRC_OVER, composed, div, mul};

    #[test]
    fn products_and_quotients_of_parts_are_rounded() {
        assert_eq!((mul(255, 255), mul(128, 255), mul(1, 127), mul(1, 128)), (255, 128, 0, 1));
        assert_eq!((div(64, 128), div(128, 128), div(0, 7)), (128, 255, 0));
    }

    #[test]
    fn an_opaque_pixel_covers_and_a_transparent_one_shows_what_is_below() {
        assert_eq!(composed(SRC_OVER, 0xFF12_3456, 0xFF65_4321, OPAQUE, OPAQUE), 0xFF12_3456);
        assert_eq!(composed(SRC_OVER, 0x0012_3456, 0xFF65_4321, OPAQUE, OPAQUE), 0xFF65_4321);
        assert_eq!(composed(SRC, 0x0012_3456, 0xFF65_4321, OPAQUE, OPAQUE), 0x0012_3456);
        assert_eq!(composed(SRC_OVER, 0xFFFF_FFFF, 0xFF00_0000, OPAQUE, 128), 0xFF80_8080);
    }
}
