//! What differs from run to run though the JDK is the same: class path, working folder, user. While
//! the class library boots, stand-ins take their place, so that one boot image serves all runs;
//! then every slot that refers to a stand-in is given the real string.

use crate::boot::BootError;
use crate::gc::ObjectMap;
use crate::heap::FIRST_BYTE;
use crate::host::Platform;
use crate::value::Ref;
use crate::vm::Vm;

/// The system properties with stand-ins.
const PROPERTIES: [&str; 5] =
    ["java.class.path", "user.dir", "user.home", "user.name", "java.io.tmpdir"];

/// A slot that refers to a stand-in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StandIn {
    /// Byte offset of the slot in the heap, divided by four.
    pub(crate) at: u32,
    /// Position of the property in the list.
    pub(crate) value: u8,
}

/// What stands in for a property while booting: a file that is not there, in the folder of the JDK,
/// where the library may look for it.
pub(crate) fn stand_in_of(vm: &Vm, property: &str) -> String {
    format!("{}/lib/nonpareil.{property}", vm.options.java_home)
}

/// Whether a slot refers to a stand-in.
pub(crate) fn stand_in(vm: &Vm, at: usize, target: Ref) -> Option<StandIn> {
    if vm.class_of(target) != vm.known.string {
        return None;
    }
    let (coder, bytes) = vm.string_bytes(target);
    let property =
        bytes.strip_prefix(vm.options.java_home.as_bytes())?.strip_prefix(b"/lib/nonpareil.")?;
    let is_it = |name: &&str| coder == 0 && name.as_bytes() == property;
    let value = u8::try_from(PROPERTIES.iter().position(is_it)?).ok()?;
    Some(StandIn { at: u32::try_from(at >> 2).ok()?, value })
}

impl Vm {
    /// The slots that refer to stand-ins, in a machine that booted from scratch.
    pub(super) fn find_stand_ins(&self) -> Vec<StandIn> {
        let map = ObjectMap::of(self);
        let heap = &self.heap;
        let mut found = Vec::new();
        let mut slots = Vec::new();
        for (start, end) in [
            (FIRST_BYTE, heap.base_end),
            (heap.literals_start, heap.literals_top),
            (heap.perm_start, heap.perm_top),
            (heap.main_start, heap.top),
        ] {
            let mut at = start;
            while at < end {
                #[expect(clippy::cast_possible_truncation, reason = "granules fit 32 bits")]
                let object = Ref((at >> 3) as u32);
                slots.clear();
                map.slots(self, object, &mut slots);
                for &offset in &slots {
                    if let Some(target) = heap.load_ref(object, offset).some() {
                        found.extend(stand_in(self, at + offset as usize, target));
                    }
                }
                at += map.size(self, object);
            }
        }
        found
    }

    /// Gives the machine its own class path, working folder and user. Nothing is collected here.
    pub(crate) fn make_personal(&mut self, stand_ins: &[StandIn]) -> Result<(), BootError> {
        self.heap.end = self.heap.hard_end;
        let platform = self.host.platform();
        let mut values = Vec::new();
        for property in PROPERTIES {
            let value = value_of(&platform, &self.options.class_path, property).to_owned();
            values.push(self.boot_string(&value)?);
        }
        for stand_in in stand_ins {
            if let Some(&value) = values.get(usize::from(stand_in.value)) {
                // A slot is half a granule.
                let (granule, half) = (Ref(stand_in.at >> 1), stand_in.at & 1);
                self.heap.store_ref(granule, half * 4, value);
            }
        }
        self.set_class_path(values[0])?;
        self.heap.end = (self.heap.top + self.heap.nursery).min(self.heap.hard_end);
        Ok(())
    }

    /// Gives the application class loader its class path, as the library does when the loader
    /// comes out of HotSpot's archive.
    fn set_class_path(&mut self, class_path: Ref) -> Result<(), BootError> {
        const LOADERS: &str = "jdk/internal/loader/ClassLoaders";
        const PATH: &str = "jdk/internal/loader/URLClassPath";
        let args = [class_path.to_slot(), 0];
        let path = self.boot_new(PATH, "(Ljava/lang/String;Z)V", |_, _| Ok(()), &args)?;
        let loaders = self.boot_initialise(LOADERS)?;
        let descriptor = "Ljdk/internal/loader/ClassLoaders$AppClassLoader;";
        let (mirror, offset) = self.static_slot(loaders, "APP_LOADER", descriptor);
        let loader = self.heap.load_ref(mirror, offset);
        self.set_field_ref(loader, "ucp", "Ljdk/internal/loader/URLClassPath;", path);
        Ok(())
    }
}

fn value_of<'a>(platform: &'a Platform, class_path: &'a str, property: &str) -> &'a str {
    match property {
        "java.class.path" => class_path,
        "user.dir" => &platform.user_dir,
        "user.home" => &platform.user_home,
        "user.name" => &platform.user_name,
        _ => &platform.temporary_dir,
    }
}
