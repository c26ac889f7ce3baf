//! `sun.java2d` and `sun.awt.image`: drawing into images without a screen.
//!
//! The library brings loops in Java for every kind of surface beside the native ones that it prefers. They
//! rest on one native loop (`mask_blit.rs`), the only one registered here, so that those in Java do the
//! work on the image's own raster.

mod mask_blit;

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing, zero};
use crate::vm::Vm;

const MANAGER: &str = "sun/java2d/loops/GraphicsPrimitiveMgr";
const MASK_BLIT: &str = "sun/java2d/loops/MaskBlit";

pub(crate) const NATIVES: &[NativeRow] = &[
    (MANAGER, "initIDs", "", nothing),
    (MANAGER, "registerNativeLoops", "()V", register_loops),
    (MASK_BLIT, "MaskBlit", "", mask_blit::mask_blit),
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

/// Puts the native loop on the list of primitives: what its constructor and `register` would do.
fn register_loops(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    const PRIMITIVE: &str = "sun/java2d/loops/GraphicsPrimitive";
    const SURFACE: &str = "sun/java2d/loops/SurfaceType";
    const COMPOSITE: &str = "sun/java2d/loops/CompositeType";
    const LIST: &str = "[Lsun/java2d/loops/GraphicsPrimitive;";
    let (surface_type, composite_type) = (format!("L{SURFACE};"), format!("L{COMPOSITE};"));
    let manager = vm.boot_class(MANAGER)?;
    let primitive = vm.boot_class(PRIMITIVE)?;
    let mut classes = [primitive; 3];
    for (class, name) in classes.iter_mut().zip([MASK_BLIT, SURFACE, COMPOSITE]) {
        *class = vm.boot_class(name)?;
        vm.ensure_initialised(*class)?;
    }
    let [blit, surface, composite] = classes;
    let (mirror, offset) = vm.static_slot(surface, "IntArgb", &surface_type);
    let pixels = vm.heap.load_ref(mirror, offset);
    let (mirror, offset) = vm.static_slot(composite, "AnyAlpha", &composite_type);
    let any_alpha = vm.heap.load_ref(mirror, offset);
    let (mirror, offset) = vm.static_slot(blit, "methodSignature", "Ljava/lang/String;");
    let signature = vm.heap.load_ref(mirror, offset);
    let (mirror, offset) = vm.static_slot(blit, "primTypeID", "I");
    let kind = vm.heap.load_u32(mirror, offset);
    let pixels_id = vm.heap.load_u32(pixels, vm.field_offset(surface, "uniqueID", "I"));
    let alpha_id = vm.heap.load_u32(any_alpha, vm.field_offset(composite, "uniqueID", "I"));

    let (list_mirror, list_offset) = vm.static_slot(manager, "primitives", LIST);
    let list = vm.heap.load_ref(list_mirror, list_offset);
    let mut all = Vec::new();
    if let Some(list) = list.some() {
        all.extend((0..vm.heap.array_length(list)).map(|idx| vm.heap.element_ref(list, idx)));
    }
    let object = vm.new_object(blit)?;
    all.push(object);
    let list = vm.new_ref_array(primitive, &all)?;
    // The class has a static field of the same name as one of these.
    for (name, kind, value) in [
        ("methodSignature", "Ljava/lang/String;", signature),
        ("sourceType", &surface_type, pixels),
        ("compositeType", &composite_type, any_alpha),
        ("destType", &surface_type, pixels),
    ] {
        let offset = vm.field_offset(primitive, name, kind);
        vm.heap.store_ref(object, offset, value);
    }
    let id = kind << 24 | pixels_id << 16 | alpha_id << 8 | pixels_id;
    vm.heap.store_u32(object, vm.field_offset(primitive, "uniqueID", "I"), id);
    vm.heap.store_ref(list_mirror, list_offset, list);
    let (mirror, offset) = vm.static_slot(manager, "needssort", "Z");
    vm.heap.store_u8(mirror, offset, 1);
    Ok(0)
}
