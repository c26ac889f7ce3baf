//! `sun.java2d` and `sun.awt.image`: drawing into images without a screen.
//!
//! The library brings loops in Java for every kind of surface beside the native ones that it prefers. They
//! rest on two native ones (`mask_blit.rs`, `transform.rs`), the only ones registered here, so that those in
//! Java do the work on the image's own raster.

mod mask_blit;
pub(crate) mod shape_spans;
mod transform;

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing, zero};
use crate::value::Ref;
use crate::vm::Vm;

const MANAGER: &str = "sun/java2d/loops/GraphicsPrimitiveMgr";
const MASK_BLIT: &str = "sun/java2d/loops/MaskBlit";
const TRANSFORM: &str = "sun/java2d/loops/TransformHelper";
const PRIMITIVE: &str = "sun/java2d/loops/GraphicsPrimitive";
const SURFACE: &str = "sun/java2d/loops/SurfaceType";
const COMPOSITE: &str = "sun/java2d/loops/CompositeType";

pub(crate) const NATIVES: &[NativeRow] = &[
    (MANAGER, "initIDs", "", nothing),
    (MANAGER, "registerNativeLoops", "()V", register_loops),
    (MASK_BLIT, "MaskBlit", "", mask_blit::mask_blit),
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
const LOOPS: [(&str, &str, &str, &str); 4] = [
    (MASK_BLIT, "IntArgb", "AnyAlpha", "IntArgb"),
    (TRANSFORM, "IntRgb", "SrcNoEa", "IntArgbPre"),
    (TRANSFORM, "IntArgb", "SrcNoEa", "IntArgbPre"),
    (TRANSFORM, "IntArgbPre", "SrcNoEa", "IntArgbPre"),
];

/// Puts the native loops on the list of primitives: what their constructors and `register` would do.
fn register_loops(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    const LIST: &str = "[Lsun/java2d/loops/GraphicsPrimitive;";
    for name in [MASK_BLIT, TRANSFORM, SURFACE, COMPOSITE] {
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
