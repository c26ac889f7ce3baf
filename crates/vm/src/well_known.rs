//! Classes, methods and field offsets that the machine itself uses, found once at boot.
//!
//! `load_well_known` fills the table in stages, since everything depends on everything: the size
//! of mirrors must be known before the first static field is laid out, and `java.lang.Class` must
//! be linked before the first mirror can be made.

use crate::class::flags;
use crate::frame::Res;
use crate::layout::{FieldShape, injected_fields, lay_out};
use crate::value::{ClassId, Kind};
use crate::vm::Vm;

/// Stands for a class that is not loaded yet.
const UNSET: ClassId = ClassId(u32::MAX);

macro_rules! well_known {
    (
        classes { $($class:ident $class_name:literal,)* }
        fields { $($field:ident $holder:ident $name:literal $descriptor:literal,)* }
        optional { $($opt_field:ident $opt_holder:ident $opt_name:literal $opt_descriptor:literal,)* }
    ) => {
        /// See the module text. Field offsets are byte offsets inside instances, or inside the
        /// mirror where the field is static; `None` where this JDK does not have the field.
        #[expect(missing_docs, reason = "classes and fields have the names of the JDK")]
        #[derive(Debug, Clone)]
        pub struct WellKnown {
            $(pub $class: ClassId,)*
            $(pub $field: u32,)*
            $(pub $opt_field: Option<u32>,)*
            /// Bytes of a mirror before its static fields.
            pub mirror_size: u32,
            /// Primitive classes by `Kind`; the place of `Kind::Ref` is `java.lang.Object`.
            pub primitives: [ClassId; 10],
            /// Arrays of primitives by `Kind`; the place of `Kind::Ref` is `Object[]`.
            pub arrays: [ClassId; 9],
            /// Box classes by `Kind`, `Kind::Boolean` to `Kind::Double`.
            pub boxes: [ClassId; 8],
        }

        impl Default for WellKnown {
            fn default() -> WellKnown {
                WellKnown {
                    $($class: UNSET,)*
                    $($field: 0,)*
                    $($opt_field: None,)*
                    mirror_size: 0,
                    primitives: [UNSET; 10],
                    arrays: [UNSET; 9],
                    boxes: [UNSET; 8],
                }
            }
        }

        impl WellKnown {
            /// The table as words, for the boot image.
            pub(crate) fn to_words(&self) -> Vec<u32> {
                let mut words = vec![self.mirror_size];
                $(words.push(self.$class.0);)*
                $(words.push(self.$field);)*
                $(words.push(self.$opt_field.unwrap_or(u32::MAX));)*
                words.extend(self.primitives.iter().chain(&self.arrays).chain(&self.boxes).map(|id| id.0));
                words
            }

            /// The table that `to_words` made these words of.
            pub(crate) fn from_words(words: &[u32]) -> Option<WellKnown> {
                let mut words = words.iter().copied();
                let mut known = WellKnown { mirror_size: words.next()?, ..WellKnown::default() };
                $(known.$class = ClassId(words.next()?);)*
                $(known.$field = words.next()?;)*
                $(known.$opt_field = words.next().map(|word| (word != u32::MAX).then_some(word))?;)*
                let WellKnown { primitives, arrays, boxes, .. } = &mut known;
                for id in primitives.iter_mut().chain(arrays).chain(boxes) {
                    *id = ClassId(words.next()?);
                }
                words.next().is_none().then_some(known)
            }
        }

        impl Vm {
            fn load_known_classes(&mut self) -> Res<()> {
                $(self.known.$class = self.boot_class($class_name)?;)*
                Ok(())
            }

            fn find_known_fields(&mut self) {
                $(if self.known.$holder != UNSET {
                    self.known.$field = self.field_offset(self.known.$holder, $name, $descriptor);
                })*
                $(if self.known.$opt_holder != UNSET {
                    self.known.$opt_field = self.try_field_offset(self.known.$opt_holder, $opt_name, $opt_descriptor);
                })*
            }
        }
    };
}

well_known! {
    classes {
        object "java/lang/Object",
        class "java/lang/Class",
        string "java/lang/String",
        cloneable "java/lang/Cloneable",
        serializable "java/io/Serializable",
        class_loader "java/lang/ClassLoader",
        module "java/lang/Module",
        throwable "java/lang/Throwable",
        error "java/lang/Error",
        class_not_found_exception "java/lang/ClassNotFoundException",
        no_class_def_found_error "java/lang/NoClassDefFoundError",
        null_pointer_exception "java/lang/NullPointerException",
        out_of_memory_error "java/lang/OutOfMemoryError",
        stack_overflow_error "java/lang/StackOverflowError",
        exception_in_initializer_error "java/lang/ExceptionInInitializerError",
        invocation_target_exception "java/lang/reflect/InvocationTargetException",
        stack_trace_element "java/lang/StackTraceElement",
        system "java/lang/System",
        thread "java/lang/Thread",
        thread_group "java/lang/ThreadGroup",
        reference "java/lang/ref/Reference",
        soft_reference "java/lang/ref/SoftReference",
        weak_reference "java/lang/ref/WeakReference",
        final_reference "java/lang/ref/FinalReference",
        phantom_reference "java/lang/ref/PhantomReference",
        finalizer "java/lang/ref/Finalizer",
        accessible_object "java/lang/reflect/AccessibleObject",
        reflect_field "java/lang/reflect/Field",
        reflect_method "java/lang/reflect/Method",
        reflect_constructor "java/lang/reflect/Constructor",
        reflect_parameter "java/lang/reflect/Parameter",
        record_component "java/lang/reflect/RecordComponent",
        method_handle "java/lang/invoke/MethodHandle",
        var_handle "java/lang/invoke/VarHandle",
        direct_method_handle "java/lang/invoke/DirectMethodHandle",
        member_name "java/lang/invoke/MemberName",
        resolved_method_name "java/lang/invoke/ResolvedMethodName",
        method_handle_natives "java/lang/invoke/MethodHandleNatives",
        lambda_form "java/lang/invoke/LambdaForm",
        method_type "java/lang/invoke/MethodType",
        call_site "java/lang/invoke/CallSite",
    }
    fields {
        class_id_field class "classId" "I",
        class_init_state class "initState" "I",
        class_init_thread class "initThread" "I",
        class_init_behalf class "initBehalf" "I",
        class_init_depth class "initDepth" "I",
        class_init_error class "initError" "Ljava/lang/Throwable;",
        class_sites class "sites" "[Ljava/lang/Object;",
        class_protection_domain class "protectionDomain" "Ljava/security/ProtectionDomain;",
        class_signers class "signers" "[Ljava/lang/Object;",
        class_class_loader class "classLoader" "Ljava/lang/ClassLoader;",
        class_module class "module" "Ljava/lang/Module;",
        class_component_type class "componentType" "Ljava/lang/Class;",
        class_name class "name" "Ljava/lang/String;",
        class_class_data class "classData" "Ljava/lang/Object;",
        string_value string "value" "[B",
        string_coder string "coder" "B",
        string_hash string "hash" "I",
        string_hash_is_zero string "hashIsZero" "Z",
        class_loader_loader_id class_loader "loaderId" "I",
        class_loader_parent class_loader "parent" "Ljava/lang/ClassLoader;",
        class_loader_name class_loader "name" "Ljava/lang/String;",
        class_loader_name_and_id class_loader "nameAndId" "Ljava/lang/String;",
        class_loader_unnamed_module class_loader "unnamedModule" "Ljava/lang/Module;",
        module_name module "name" "Ljava/lang/String;",
        module_loader module "loader" "Ljava/lang/ClassLoader;",
        throwable_backtrace throwable "backtrace" "Ljava/lang/Object;",
        throwable_depth throwable "depth" "I",
        throwable_detail_message throwable "detailMessage" "Ljava/lang/String;",
        throwable_cause throwable "cause" "Ljava/lang/Throwable;",
        throwable_stack_trace throwable "stackTrace" "[Ljava/lang/StackTraceElement;",
        throwable_suppressed throwable "suppressedExceptions" "Ljava/util/List;",
        throwable_unassigned_stack throwable "UNASSIGNED_STACK" "[Ljava/lang/StackTraceElement;",
        throwable_suppressed_sentinel throwable "SUPPRESSED_SENTINEL" "Ljava/util/List;",
        npe_message_state null_pointer_exception "extendedMessageState" "I",
        thread_eetop thread "eetop" "J",
        thread_tid thread "tid" "J",
        thread_name thread "name" "Ljava/lang/String;",
        thread_interrupted thread "interrupted" "Z",
        thread_context_class_loader thread "contextClassLoader" "Ljava/lang/ClassLoader;",
        reference_referent reference "referent" "Ljava/lang/Object;",
        reference_queue reference "queue" "Ljava/lang/ref/ReferenceQueue;",
        reference_next reference "next" "Ljava/lang/ref/Reference;",
        reference_discovered reference "discovered" "Ljava/lang/ref/Reference;",
        member_name_clazz member_name "clazz" "Ljava/lang/Class;",
        member_name_name member_name "name" "Ljava/lang/String;",
        member_name_type member_name "type" "Ljava/lang/Object;",
        member_name_flags member_name "flags" "I",
        member_name_method member_name "method" "Ljava/lang/invoke/ResolvedMethodName;",
        member_name_vmindex member_name "vmindex" "J",
        resolved_method_vmtarget resolved_method_name "vmtarget" "J",
        resolved_method_vmholder resolved_method_name "vmholder" "Ljava/lang/Class;",
        method_handle_type method_handle "type" "Ljava/lang/invoke/MethodType;",
        method_handle_form method_handle "form" "Ljava/lang/invoke/LambdaForm;",
        direct_method_handle_member direct_method_handle "member" "Ljava/lang/invoke/MemberName;",
        lambda_form_vmentry lambda_form "vmentry" "Ljava/lang/invoke/MemberName;",
        method_type_rtype method_type "rtype" "Ljava/lang/Class;",
        method_type_ptypes method_type "ptypes" "[Ljava/lang/Class;",
        call_site_target call_site "target" "Ljava/lang/invoke/MethodHandle;",
    }
    optional {
        class_modifiers class "modifiers" "C",
        class_primitive class "primitive" "Z",
        thread_holder thread "holder" "Ljava/lang/Thread$FieldHolder;",
    }
}

/// Box classes in the order of `Kind`.
const BOXES: [&str; 8] =
    ["Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double"];

/// The primitive kinds in the order of their numbers, `void` last.
const PRIMITIVES: [Kind; 9] = [
    Kind::Boolean,
    Kind::Byte,
    Kind::Char,
    Kind::Short,
    Kind::Int,
    Kind::Long,
    Kind::Float,
    Kind::Double,
    Kind::Void,
];

impl Vm {
    /// Loads and links the classes of [`WellKnown`], makes the primitive classes, and gives
    /// mirrors to all. No Java code runs.
    pub fn load_well_known(&mut self) -> Res<()> {
        self.known.mirror_size = self.measure_mirror();
        self.known.object = self.boot_class("java/lang/Object")?;
        let class = self.boot_class("java/lang/Class")?;
        // From here on classes get their mirror as they are linked.
        self.known.class = class;
        self.find_known_fields();
        self.make_missing_mirrors()?;
        for kind in PRIMITIVES {
            self.known.primitives[kind as usize] = self.make_primitive_class(kind)?;
        }
        self.known.primitives[Kind::Ref as usize] = self.known.object;
        self.known.cloneable = self.boot_class("java/lang/Cloneable")?;
        self.known.serializable = self.boot_class("java/io/Serializable")?;
        self.load_known_classes()?;
        self.find_known_fields();
        for idx in 0..self.known.arrays.len() {
            self.known.arrays[idx] = self.array_class(self.known.primitives[idx])?;
        }
        for (idx, name) in BOXES.iter().enumerate() {
            self.known.boxes[idx] = self.boot_class(&format!("java/lang/{name}"))?;
        }
        Ok(())
    }

    /// Bytes of a mirror's own fields, found without linking `java.lang.Class`.
    fn measure_mirror(&self) -> u32 {
        let name = b"java/lang/Class";
        let (_, bytes) =
            self.image.find_class(name).expect("internal: image without java.lang.Class");
        let file =
            classfile::ClassFile::parse(bytes).expect("internal: unreadable java.lang.Class");
        let pool = file.constant_pool();
        let mut shapes: Vec<FieldShape> = file
            .fields()
            .iter()
            .map(|field| FieldShape {
                kind: Kind::of_descriptor(pool.utf8(field.descriptor)).unwrap_or(Kind::Ref),
                is_static: field.access_flags & flags::STATIC != 0,
            })
            .collect();
        let declares =
            |name: &str| file.fields().iter().any(|field| pool.utf8(field.name) == name.as_bytes());
        for (_, descriptor) in injected_fields(name).iter().filter(|(name, _)| !declares(name)) {
            let kind = Kind::of_descriptor(descriptor.as_bytes()).unwrap_or(Kind::Ref);
            shapes.push(FieldShape { kind, is_static: false });
        }
        lay_out(&shapes, 0, 0).fields_end.next_multiple_of(8)
    }
}
