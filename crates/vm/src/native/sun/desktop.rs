//! `sun.java2d` and `sun.awt.image`: drawing into images without a screen.
//!
//! The library brings loops in Java for every kind of surface beside the native ones that it prefers. They
//! rest on two native ones (`mask_blit.rs`, `transform.rs`). Only these are registered here, so that those in
//! Java do the work on the image's own raster, and those where Java code would give other pixels: for gray
//! images (`gray.rs`) and for scaled ones (`scaled.rs`).

mod gray;
mod mask_blit;
mod scaled;
pub(crate) mod shape_spans;
mod transform;

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing, zero};
use crate::value::Ref;
use crate::vm::Vm;

const MANAGER: &str = "sun/java2d/loops/GraphicsPrimitiveMgr";
const BLIT: &str = "sun/java2d/loops/Blit";
const FILL_RECT: &str = "sun/java2d/loops/FillRect";
const MASK_BLIT: &str = "sun/java2d/loops/MaskBlit";
const SCALED_BLIT: &str = "sun/java2d/loops/ScaledBlit";
const TRANSFORM: &str = "sun/java2d/loops/TransformHelper";
const PRIMITIVE: &str = "sun/java2d/loops/GraphicsPrimitive";
const SURFACE: &str = "sun/java2d/loops/SurfaceType";
const COMPOSITE: &str = "sun/java2d/loops/CompositeType";

pub(crate) const NATIVES: &[NativeRow] = &[
    (MANAGER, "initIDs", "", nothing),
    (MANAGER, "registerNativeLoops", "()V", register_loops),
    (BLIT, "Blit", "", gray::blit),
    (FILL_RECT, "FillRect", "", gray::fill_rect),
    (MASK_BLIT, "MaskBlit", "", mask_blit::mask_blit),
    (SCALED_BLIT, "Scale", "", scaled::scale),
    (TRANSFORM, "Transform", "", transform::transform),
    (
        "sun/java2d/SurfaceData",
        "isOpaqueGray",
        "(Ljava/awt/image/IndexColorModel;)Z",
        is_opaque_gray,
    ),
    ("sun/java2d/pipe/SpanClipRenderer", "initIDs", "", nothing),
    ("sun/awt/image/BufImgSurfaceData", "initIDs", "", nothing),
    ("sun/awt/image/BufImgSurfaceData", "initRaster", "", nothing),
    // There is no library that works on whole images.
    ("sun/awt/image/ImagingLib", "init", "()Z", zero),
];

fn is_opaque_gray(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let model = args.reference();
    if model.is_null() {
        return Ok(0);
    }
    let class = vm.boot_class("java/awt/image/IndexColorModel")?;
    let offset = vm.field_offset(class, "allgrayopaque", "Z");
    Ok(u64::from(vm.heap.load_u8(model, offset)))
}

/// The native loops: class, and the names of source, composite and destination.
const LOOPS: [(&str, &str, &str, &str); 48] = [
    (BLIT, "IntArgb", "SrcNoEa", "ByteGray"),
    (BLIT, "IntArgb", "SrcNoEa", "UshortGray"),
    (BLIT, "ByteGray", "SrcNoEa", "IntArgb"),
    (BLIT, "UshortGray", "SrcNoEa", "IntArgb"),
    (BLIT, "ByteGray", "SrcNoEa", "ByteGray"),
    (BLIT, "UshortGray", "SrcNoEa", "UshortGray"),
    (FILL_RECT, "AnyColor", "SrcNoEa", "ByteGray"),
    (FILL_RECT, "AnyColor", "SrcNoEa", "UshortGray"),
    (MASK_BLIT, "IntArgb", "AnyAlpha", "IntArgb"),
    (MASK_BLIT, "IntRgb", "AnyAlpha", "ByteGray"),
    (MASK_BLIT, "IntArgb", "AnyAlpha", "ByteGray"),
    (MASK_BLIT, "IntArgbPre", "AnyAlpha", "ByteGray"),
    (MASK_BLIT, "IntRgb", "AnyAlpha", "UshortGray"),
    (MASK_BLIT, "IntArgb", "AnyAlpha", "UshortGray"),
    (MASK_BLIT, "IntArgbPre", "AnyAlpha", "UshortGray"),
    (SCALED_BLIT, "IntRgb", "SrcNoEa", "IntRgb"),
    (SCALED_BLIT, "IntRgb", "SrcNoEa", "IntArgb"),
    (SCALED_BLIT, "IntRgb", "SrcNoEa", "IntArgbPre"),
    (SCALED_BLIT, "IntRgb", "SrcNoEa", "IntBgr"),
    (SCALED_BLIT, "IntRgb", "SrcNoEa", "ThreeByteBgr"),
    (SCALED_BLIT, "IntRgb", "SrcNoEa", "FourByteAbgr"),
    (SCALED_BLIT, "IntRgb", "SrcNoEa", "ByteGray"),
    (SCALED_BLIT, "IntRgb", "SrcNoEa", "UshortGray"),
    (SCALED_BLIT, "ThreeByteBgr", "SrcNoEa", "IntRgb"),
    (SCALED_BLIT, "ThreeByteBgr", "SrcNoEa", "IntArgb"),
    (SCALED_BLIT, "ThreeByteBgr", "SrcNoEa", "IntArgbPre"),
    (SCALED_BLIT, "ThreeByteBgr", "SrcNoEa", "IntBgr"),
    (SCALED_BLIT, "ThreeByteBgr", "SrcNoEa", "ThreeByteBgr"),
    (SCALED_BLIT, "ThreeByteBgr", "SrcNoEa", "FourByteAbgr"),
    (SCALED_BLIT, "ThreeByteBgr", "SrcNoEa", "ByteGray"),
    (SCALED_BLIT, "ThreeByteBgr", "SrcNoEa", "UshortGray"),
    (SCALED_BLIT, "IntBgr", "SrcNoEa", "IntRgb"),
    (SCALED_BLIT, "IntBgr", "SrcNoEa", "IntArgb"),
    (SCALED_BLIT, "IntBgr", "SrcNoEa", "IntBgr"),
    (SCALED_BLIT, "ByteGray", "SrcNoEa", "IntRgb"),
    (SCALED_BLIT, "ByteGray", "SrcNoEa", "IntArgb"),
    (SCALED_BLIT, "ByteGray", "SrcNoEa", "IntArgbPre"),
    (SCALED_BLIT, "ByteGray", "SrcNoEa", "IntBgr"),
    (SCALED_BLIT, "ByteGray", "SrcNoEa", "ThreeByteBgr"),
    (SCALED_BLIT, "ByteGray", "SrcNoEa", "FourByteAbgr"),
    (SCALED_BLIT, "ByteGray", "SrcNoEa", "ByteGray"),
    (SCALED_BLIT, "ByteGray", "SrcNoEa", "UshortGray"),
    (SCALED_BLIT, "UshortGray", "SrcNoEa", "IntArgb"),
    (SCALED_BLIT, "UshortGray", "SrcNoEa", "ByteGray"),
    (SCALED_BLIT, "UshortGray", "SrcNoEa", "UshortGray"),
    (TRANSFORM, "IntRgb", "SrcNoEa", "IntArgbPre"),
    (TRANSFORM, "IntArgb", "SrcNoEa", "IntArgbPre"),
    (TRANSFORM, "IntArgbPre", "SrcNoEa", "IntArgbPre"),
];

/// Puts the native loops on the list of primitives: what their constructors and `register` would do.
fn register_loops(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    const LIST: &str = "[Lsun/java2d/loops/GraphicsPrimitive;";
    for name in [BLIT, FILL_RECT, MASK_BLIT, SCALED_BLIT, TRANSFORM, SURFACE, COMPOSITE] {
        let class = vm.boot_class(name)?;
        vm.ensure_initialised(class)?;
    }
    let manager = vm.boot_class(MANAGER)?;
    let primitive = vm.boot_class(PRIMITIVE)?;
    let (mirror, offset) = vm.static_slot(manager, "primitives", LIST);
    let mut all = Vec::new();
    if let Some(list) = vm.heap.load_ref(mirror, offset).some() {
        all.extend((0..vm.heap.array_length(list)).map(|idx| vm.heap.element_ref(list, idx)));
    }
    for row in LOOPS {
        all.push(new_loop(vm, row)?);
    }
    let list = vm.new_ref_array(primitive, &all)?;
    vm.heap.store_ref(mirror, offset, list);
    let (mirror, offset) = vm.static_slot(manager, "needssort", "Z");
    vm.heap.store_u8(mirror, offset, 1);
    Ok(0)
}

/// A constant of a class of types, and its number.
fn constant(vm: &mut Vm, class: &str, name: &str) -> Res<(Ref, u32)> {
    let id = vm.boot_class(class)?;
    let (mirror, offset) = vm.static_slot(id, name, &format!("L{class};"));
    let object = vm.heap.load_ref(mirror, offset);
    let offset = vm.field_offset(id, "uniqueID", "I");
    Ok((object, vm.heap.load_u32(object, offset)))
}

/// Whether a loop has a type of surface, in `sourceType` or `destType`.
fn has_type(vm: &mut Vm, loops: Ref, field: &str, name: &str) -> Res<bool> {
    let primitive = vm.boot_class(PRIMITIVE)?;
    let (own, _) = constant(vm, SURFACE, name)?;
    let offset = vm.field_offset(primitive, field, &format!("L{SURFACE};"));
    Ok(vm.heap.load_ref(loops, offset) == own)
}

/// A primitive as its constructor leaves it.
fn new_loop(vm: &mut Vm, (class, src, composite, dst): (&str, &str, &str, &str)) -> Res<Ref> {
    let (src, src_id) = constant(vm, SURFACE, src)?;
    let (composite, composite_id) = constant(vm, COMPOSITE, composite)?;
    let (dst, dst_id) = constant(vm, SURFACE, dst)?;
    let primitive = vm.boot_class(PRIMITIVE)?;
    let class = vm.boot_class(class)?;
    let (mirror, offset) = vm.static_slot(class, "methodSignature", "Ljava/lang/String;");
    let signature = vm.heap.load_ref(mirror, offset);
    let (mirror, offset) = vm.static_slot(class, "primTypeID", "I");
    let kind = vm.heap.load_u32(mirror, offset);
    let object = vm.new_object(class)?;
    let (surface_type, composite_type) = (format!("L{SURFACE};"), format!("L{COMPOSITE};"));
    // The class has a static field of the same name as one of these.
    for (name, kind, value) in [
        ("methodSignature", "Ljava/lang/String;", signature),
        ("sourceType", &surface_type, src),
        ("compositeType", &composite_type, composite),
        ("destType", &surface_type, dst),
    ] {
        let offset = vm.field_offset(primitive, name, kind);
        vm.heap.store_ref(object, offset, value);
    }
    let id = kind << 24 | dst_id << 16 | composite_id << 8 | src_id;
    vm.heap.store_u32(object, vm.field_offset(primitive, "uniqueID", "I"), id);
    Ok(object)
}
