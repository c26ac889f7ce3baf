//! Byte offsets of the fields that the machine reads and writes in objects of the reflection and
//! method-handle classes. Found once per machine, on first use.
//!
//! Only offsets are kept, never class identifiers: a class loaded behind a mark may get another
//! identifier after a rollback, but its layout is always the same.

use crate::frame::Res;
use crate::vm::Vm;

macro_rules! layouts {
    ($($(#[$doc:meta])* $name:ident $cache:ident $class:literal {
        $($field:ident $java:literal $descriptor:literal,)*
    })*) => {
        /// The layouts found so far.
        #[derive(Debug, Default, Clone)]
        pub struct Layouts {
            $($cache: Option<$name>,)*
        }

        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy)]
            #[expect(missing_docs, reason = "offsets of the Java fields of the same names")]
            pub struct $name {
                $(pub $field: u32,)*
            }

            impl $name {
                /// The internal name of the class.
                pub const CLASS: &'static str = $class;

                /// The layout, found now if it is not known yet.
                pub fn of(vm: &mut Vm) -> Res<$name> {
                    if let Some(layout) = vm.layouts.$cache {
                        return Ok(layout);
                    }
                    let class = vm.boot_class($class)?;
                    let layout = $name {
                        $($field: vm.field_offset(class, $java, $descriptor),)*
                    };
                    vm.layouts.$cache = Some(layout);
                    Ok(layout)
                }
            }
        )*
    };
}

layouts! {
    /// `java.lang.reflect.Method`.
    MethodLayout method "java/lang/reflect/Method" {
        clazz "clazz" "Ljava/lang/Class;",
        slot "slot" "I",
        name "name" "Ljava/lang/String;",
        return_type "returnType" "Ljava/lang/Class;",
        parameter_types "parameterTypes" "[Ljava/lang/Class;",
        exception_types "exceptionTypes" "[Ljava/lang/Class;",
        modifiers "modifiers" "I",
        signature "signature" "Ljava/lang/String;",
        annotations "annotations" "[B",
        parameter_annotations "parameterAnnotations" "[B",
        annotation_default "annotationDefault" "[B",
    }
    /// `java.lang.reflect.Constructor`.
    ConstructorLayout constructor "java/lang/reflect/Constructor" {
        clazz "clazz" "Ljava/lang/Class;",
        slot "slot" "I",
        parameter_types "parameterTypes" "[Ljava/lang/Class;",
        exception_types "exceptionTypes" "[Ljava/lang/Class;",
        modifiers "modifiers" "I",
        signature "signature" "Ljava/lang/String;",
        annotations "annotations" "[B",
        parameter_annotations "parameterAnnotations" "[B",
    }
    /// `java.lang.reflect.Field`.
    FieldLayout field "java/lang/reflect/Field" {
        clazz "clazz" "Ljava/lang/Class;",
        slot "slot" "I",
        name "name" "Ljava/lang/String;",
        field_type "type" "Ljava/lang/Class;",
        modifiers "modifiers" "I",
        trusted_final "trustedFinal" "Z",
        signature "signature" "Ljava/lang/String;",
        annotations "annotations" "[B",
    }
    /// `java.lang.reflect.Parameter`.
    ParameterLayout parameter "java/lang/reflect/Parameter" {
        name "name" "Ljava/lang/String;",
        modifiers "modifiers" "I",
        executable "executable" "Ljava/lang/reflect/Executable;",
        index "index" "I",
    }
    /// `java.lang.reflect.RecordComponent`.
    RecordComponentLayout record_component "java/lang/reflect/RecordComponent" {
        clazz "clazz" "Ljava/lang/Class;",
        name "name" "Ljava/lang/String;",
        component_type "type" "Ljava/lang/Class;",
        accessor "accessor" "Ljava/lang/reflect/Method;",
        signature "signature" "Ljava/lang/String;",
        annotations "annotations" "[B",
        type_annotations "typeAnnotations" "[B",
    }
    /// `java.lang.StackTraceElement`.
    StackTraceElementLayout stack_trace_element "java/lang/StackTraceElement" {
        declaring_class_object "declaringClassObject" "Ljava/lang/Class;",
        class_loader_name "classLoaderName" "Ljava/lang/String;",
        module_name "moduleName" "Ljava/lang/String;",
        module_version "moduleVersion" "Ljava/lang/String;",
        declaring_class "declaringClass" "Ljava/lang/String;",
        method_name "methodName" "Ljava/lang/String;",
        file_name "fileName" "Ljava/lang/String;",
        line_number "lineNumber" "I",
    }
}
