//! Drives JUnit 4 through `JUnitCore`, and JUnit 3 through `junit.framework` where there is nothing else.
//! Gives the calls that run the tests.

use vm::value::ClassId;

use super::{define, glue, new_call, steps};
use crate::java::{Arg, Java, Object, Problem};

/// The call that runs classes on JUnit 4, which runs those of JUnit 3 too.
pub(super) fn junit4(java: &mut Java<'_>, classes: &[ClassId]) -> Result<Object, Problem> {
    const CORE: &str = "org/junit/runner/JUnitCore";
    define(java, glue::junit4())?;
    let core = java.construct(CORE, "()V", &[])?;
    let listener = java.construct(glue::RUN_LISTENER, "()V", &[])?;
    let add = "(Lorg/junit/runner/notification/RunListener;)V";
    java.call(&core, CORE, "addListener", add, &[Arg::Object(&listener)])?;
    let mirrors: Vec<Object> = classes.iter().map(|&class| java.mirror(class)).collect();
    let classes = java.array("java/lang/Class", &mirrors)?;
    new_call(java, steps::CORE_CALL, &[core, classes])
}

/// The calls that run classes on JUnit 3: what their `suite()` gives, or all their test methods.
pub(super) fn junit3(java: &mut Java<'_>, classes: &[ClassId]) -> Result<Vec<Object>, Problem> {
    const RESULT: &str = "junit/framework/TestResult";
    define(java, glue::junit3())?;
    let result = java.construct(RESULT, "()V", &[])?;
    let listener = java.construct(glue::TEST_LISTENER, "()V", &[])?;
    let add = "(Ljunit/framework/TestListener;)V";
    java.call(&result, RESULT, "addListener", add, &[Arg::Object(&listener)])?;
    let mut calls = Vec::with_capacity(classes.len());
    for &class in classes {
        let name = java.vm.class(class).name.to_string();
        // Whatever class it gives, as long as it is a test.
        let mut methods = java.vm.class(class).methods.iter();
        let suite = methods.find(|method| {
            method.is_static()
                && method.name.as_bytes() == b"suite"
                && method.descriptor.as_bytes().starts_with(b"()L")
        });
        let suite = suite.map(|method| method.descriptor.to_string());
        let test = if let Some(descriptor) = suite {
            java.get_static(&name, "suite", &descriptor, &[])?
        } else {
            let class = java.mirror(class);
            java.construct(
                "junit/framework/TestSuite",
                "(Ljava/lang/Class;)V",
                &[Arg::Object(&class)],
            )?
        };
        calls.push(new_call(java, steps::TEST_CALL, &[test, result])?);
    }
    Ok(calls)
}
