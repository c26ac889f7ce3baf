//! Links the real JDK's classes: layouts, subtypes, dispatch tables. No Java code runs.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use classfile::JImage;
use vm::class::flags;
use vm::host::fixed::FixedHost;
use vm::native::NativeTable;
use vm::value::{ClassId, Kind, LoaderId};
use vm::vm::{Options, Vm};

/// Runs a check with a machine of each installed JDK that has its well-known classes.
fn with_machines(check: impl Fn(&mut Vm)) {
    for jdk in testkit::jdk::installed() {
        let image = Arc::new(JImage::open(&jdk.home.join("lib/modules")).unwrap());
        let options = Options {
            java_home: jdk.home.display().to_string(),
            class_path: String::new(),
            properties: Vec::new(),
            heap_limit: 64 << 20,
            seed: 1,
            assertions: false,
        };
        let mut vm = Vm::new(
            image,
            options,
            Arc::new(NativeTable::default()),
            Box::new(FixedHost::default()),
        )
        .unwrap();
        vm.load_well_known().unwrap();
        assert_eq!(u32::from(vm.jdk), jdk.release);
        check(&mut vm);
    }
}

fn class(vm: &mut Vm, name: &str) -> ClassId {
    vm.boot_class(name).unwrap()
}

#[test]
fn every_class_of_java_base_links() {
    with_machines(|vm| {
        let image = Arc::clone(&vm.image);
        let mut n_classes = 0;
        for resource in image.resources() {
            if resource.module != "java.base"
                || resource.extension != "class"
                || resource.base == "module-info"
            {
                continue;
            }
            let path = resource.path();
            let name = path.strip_suffix(".class").unwrap();
            let id = vm.find_boot_class(name.as_bytes()).unwrap().unwrap();
            check_class(vm, id);
            n_classes += 1;
        }
        assert!(5_000 < n_classes, "only {n_classes} classes found");
    });
}

fn check_class(vm: &Vm, id: ClassId) {
    let class = vm.class(id);
    let name = class.name;
    assert!(!vm.mirror(id).is_null(), "{name}");
    assert_eq!(vm.class_of_mirror(vm.mirror(id)), id, "{name}");
    let mut taken = vec![false; class.instance_size as usize];
    taken[..8].fill(true);
    for &ancestor in &class.supers {
        for field in vm.class(ancestor).fields.iter().filter(|field| !field.is_static()) {
            assert_eq!(field.offset % field.kind.size(), 0, "{name}.{}", field.name);
            for byte in field.offset..field.offset + field.kind.size() {
                assert!(
                    !std::mem::replace(&mut taken[byte as usize], true),
                    "{name}.{}",
                    field.name
                );
            }
        }
    }
    for method in &class.methods {
        assert_eq!(vm.method(method.id).id, method.id);
        if let Some(slot) = method.vtable_index {
            assert_eq!(class.vtable[slot as usize], method.id, "{name}.{}", method.name);
        }
    }
    // A class that is not abstract has a body for everything it inherits.
    if class.flags & (flags::ABSTRACT | flags::INTERFACE) == 0 {
        for &id in &class.vtable {
            let method = vm.method(id);
            assert!(!method.is_abstract(), "{name} inherits abstract {}", method.name);
        }
    }
}

#[test]
fn strings_are_compact_and_interned_once() {
    with_machines(|vm| {
        let latin = vm.new_string("caf\u{e9}").unwrap();
        assert_eq!(vm.string_bytes(latin), (0, &b"caf\xe9"[..]));
        let wide = vm.new_string("\u{1F600}a").unwrap();
        assert_eq!(vm.string_bytes(wide).0, 1);
        assert_eq!(vm.string_text(wide), "\u{1F600}a");
        assert_eq!(vm.string_length(wide), 3);
        assert_eq!(vm.string_text(latin), "caf\u{e9}");
        let literal = vm.intern_mutf8(b"abc").unwrap();
        let copy = vm.new_string("abc").unwrap();
        assert!(vm.is_literal(literal) && !vm.is_literal(copy));
        assert_eq!(vm.intern(copy).unwrap(), literal);
        assert_eq!(vm.intern(latin).unwrap(), latin);
        assert_eq!(vm.intern_mutf8(b"caf\xc3\xa9").unwrap(), latin);
    });
}

#[test]
fn subtypes_follow_classes_interfaces_and_arrays() {
    with_machines(|vm| {
        let [object, list, collection, array_list, integer, number, serializable] = [
            "java/lang/Object",
            "java/util/List",
            "java/util/Collection",
            "java/util/ArrayList",
            "java/lang/Integer",
            "java/lang/Number",
            "java/io/Serializable",
        ]
        .map(|name| class(vm, name));
        assert!(vm.is_subtype(array_list, list) && vm.is_subtype(list, collection));
        assert!(vm.is_subtype(list, object) && vm.is_subtype(integer, number));
        assert!(!vm.is_subtype(number, integer) && !vm.is_subtype(collection, list));
        let integers = vm.array_class(integer).unwrap();
        let numbers = vm.array_class(number).unwrap();
        let ints = vm.array_class(vm.primitive_class(Kind::Int)).unwrap();
        let objects = class(vm, "[Ljava/lang/Object;");
        let rows = class(vm, "[[I");
        assert!(vm.is_subtype(integers, numbers) && vm.is_subtype(integers, objects));
        assert!(vm.is_subtype(integers, serializable) && vm.is_subtype(ints, object));
        assert!(!vm.is_subtype(ints, objects) && vm.is_subtype(rows, objects));
        assert!(!vm.is_subtype(numbers, integers) && !vm.is_subtype(objects, rows));
        let serializables = vm.array_class(serializable).unwrap();
        assert!(vm.is_subtype(rows, serializables) && vm.is_subtype(integers, serializables));
        assert_eq!(vm.class(rows).name.as_bytes(), b"[[I");
    });
}

#[test]
fn calls_select_overriding_and_default_methods() {
    with_machines(|vm| {
        let map = class(vm, "java/util/Map");
        let hash_map = class(vm, "java/util/HashMap");
        let tree_map = class(vm, "java/util/TreeMap");
        let linked = class(vm, "java/util/LinkedHashMap");
        let holder = |vm: &mut Vm, receiver, name: &str, descriptor: &str| {
            let method = vm.lookup_method(map, name.as_bytes(), descriptor.as_bytes()).unwrap();
            let selected = vm.select_method(receiver, method).unwrap();
            vm.method(selected).class
        };
        let put = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
        assert_eq!(holder(vm, hash_map, "put", put), hash_map);
        assert_eq!(holder(vm, linked, "put", put), hash_map);
        assert_eq!(holder(vm, tree_map, "put", put), tree_map);
        let remove = "(Ljava/lang/Object;Ljava/lang/Object;)Z";
        assert_eq!(holder(vm, tree_map, "remove", remove), map);
        let to_string = vm.lookup_method(map, b"toString", b"()Ljava/lang/String;").unwrap();
        let selected = vm.select_method(tree_map, to_string).unwrap();
        assert_eq!(vm.class(vm.method(selected).class).name.as_bytes(), b"java/util/AbstractMap");
        // A default is found through the class's table too.
        let slots = &vm.class(tree_map).vtable;
        assert!(slots.iter().any(|&id| vm.method(id).class == map));
    });
}

#[test]
fn constants_are_in_the_mirror_before_initialisation() {
    with_machines(|vm| {
        let integer = class(vm, "java/lang/Integer");
        let (mirror, offset) = vm.static_slot(integer, "MIN_VALUE", "I");
        assert_eq!(vm.heap.load_u32(mirror, offset), 0x8000_0000);
        assert!(!vm.is_initialised(integer));
        assert_eq!(vm.class(integer).loader, LoaderId::BOOT);
    });
}
