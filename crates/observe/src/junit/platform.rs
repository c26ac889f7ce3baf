//! Drives the JUnit platform: through its launcher, or, where only engines are on the class path (as
//! Maven has it), engine by engine as the launcher would. Gives the calls that run the tests.

use vm::value::{ClassId, Value};

use super::{define, glue, new_call, steps};
use crate::java::{Arg, Java, Object, Problem};

const LIST: &str = "java/util/List";
const BUILDER: &str = "org/junit/platform/launcher/core/LauncherDiscoveryRequestBuilder";
const ENGINE: &str = "org/junit/platform/engine/TestEngine";
const DESCRIPTOR: &str = "org/junit/platform/engine/TestDescriptor";

/// The call that runs classes through the launcher.
pub(super) fn launch(java: &mut Java<'_>, classes: &[ClassId]) -> Result<Object, Problem> {
    define(java, glue::launcher())?;
    let selectors = select(java, classes)?;
    let builder = java.get_static(
        BUILDER,
        "request",
        "()Lorg/junit/platform/launcher/core/LauncherDiscoveryRequestBuilder;",
        &[],
    )?;
    java.call(
        &builder,
        BUILDER,
        "selectors",
        "(Ljava/util/List;)Lorg/junit/platform/launcher/core/LauncherDiscoveryRequestBuilder;",
        &[Arg::Object(&selectors)],
    )?;
    let request = "()Lorg/junit/platform/launcher/LauncherDiscoveryRequest;";
    let request = java.call_object(&builder, BUILDER, "build", request, &[])?;
    let launcher = java.get_static(
        "org/junit/platform/launcher/core/LauncherFactory",
        "create",
        "()Lorg/junit/platform/launcher/Launcher;",
        &[],
    )?;
    let listener = java.construct(glue::LAUNCHER_LISTENER, "()V", &[])?;
    let listeners = java.array("org/junit/platform/launcher/TestExecutionListener", &[listener])?;
    new_call(java, steps::LAUNCHER_CALL, &[launcher, request, listeners])
}

/// The calls that run classes on every engine that registers itself as a service.
pub(super) fn engines(
    java: &mut Java<'_>,
    classes: &[ClassId],
    configuration: Option<&str>,
) -> Result<Vec<Object>, Problem> {
    define(java, glue::engines())?;
    let selectors = select(java, classes)?;
    let parameters = parameters(java, configuration)?;
    let request = java.construct(glue::ENGINE_REQUEST, "()V", &[])?;
    let (request_ref, selectors_ref, parameters_ref) =
        (java.get(&request), java.get(&selectors), java.get(&parameters));
    java.vm.set_field_ref(request_ref, "selectors", "Ljava/util/List;", selectors_ref);
    let descriptor = "Lorg/junit/platform/engine/ConfigurationParameters;";
    java.vm.set_field_ref(request_ref, "parameters", descriptor, parameters_ref);
    let mut calls = Vec::new();
    for engine in find_engines(java)? {
        calls.extend(engine_call(java, &engine, &request, &parameters)?);
    }
    Ok(calls)
}

fn select(java: &mut Java<'_>, classes: &[ClassId]) -> Result<Object, Problem> {
    let selectors = java.construct("java/util/ArrayList", "()V", &[])?;
    for &class in classes {
        let class = java.mirror(class);
        let selector = java.get_static(
            "org/junit/platform/engine/discovery/DiscoverySelectors",
            "selectClass",
            "(Ljava/lang/Class;)Lorg/junit/platform/engine/discovery/ClassSelector;",
            &[Arg::Object(&class)],
        )?;
        java.call(&selectors, LIST, "add", "(Ljava/lang/Object;)Z", &[Arg::Object(&selector)])?;
    }
    Ok(selectors)
}

/// The configuration that the launcher would read from `junit-platform.properties`.
fn parameters(java: &mut Java<'_>, configuration: Option<&str>) -> Result<Object, Problem> {
    let properties = java.construct("java/util/Properties", "()V", &[])?;
    if let Some(text) = configuration {
        let text = java.string(text)?;
        let reader =
            java.construct("java/io/StringReader", "(Ljava/lang/String;)V", &[Arg::Object(&text)])?;
        java.call(
            &properties,
            "java/util/Properties",
            "load",
            "(Ljava/io/Reader;)V",
            &[Arg::Object(&reader)],
        )?;
    }
    let parameters = java.construct(glue::PARAMETERS, "()V", &[])?;
    let (parameters_ref, properties_ref) = (java.get(&parameters), java.get(&properties));
    java.vm.set_field_ref(parameters_ref, "file", "Ljava/util/Properties;", properties_ref);
    Ok(parameters)
}

fn find_engines(java: &mut Java<'_>) -> Result<Vec<Object>, Problem> {
    let iterator =
        java.get_static(glue::ENGINE_LISTENER, "engines", "()Ljava/util/Iterator;", &[])?;
    let mut engines = Vec::new();
    while java.call(&iterator, "java/util/Iterator", "hasNext", "()Z", &[])? == Value::Int(1) {
        engines.push(java.call_object(
            &iterator,
            "java/util/Iterator",
            "next",
            "()Ljava/lang/Object;",
            &[],
        )?);
    }
    Ok(engines)
}

/// The call that runs an engine, if it finds tests.
fn engine_call(
    java: &mut Java<'_>,
    engine: &Object,
    request: &Object,
    parameters: &Object,
) -> Result<Option<Object>, Problem> {
    let id = java.call_object(engine, ENGINE, "getId", "()Ljava/lang/String;", &[])?;
    let id = java.get_static(
        "org/junit/platform/engine/UniqueId",
        "forEngine",
        "(Ljava/lang/String;)Lorg/junit/platform/engine/UniqueId;",
        &[Arg::Object(&id)],
    )?;
    let root = java.call_object(
        engine,
        ENGINE,
        "discover",
        "(Lorg/junit/platform/engine/EngineDiscoveryRequest;Lorg/junit/platform/engine/UniqueId;)\
         Lorg/junit/platform/engine/TestDescriptor;",
        &[Arg::Object(request), Arg::Object(&id)],
    )?;
    let pruning = java.construct(glue::PRUNING, "()V", &[])?;
    let visit = "(Lorg/junit/platform/engine/TestDescriptor$Visitor;)V";
    java.call(&root, DESCRIPTOR, "accept", visit, &[Arg::Object(&pruning)])?;
    let descendants =
        java.call_object(&root, DESCRIPTOR, "getDescendants", "()Ljava/util/Set;", &[])?;
    if java.call(&descendants, "java/util/Set", "isEmpty", "()Z", &[])? == Value::Int(1) {
        return Ok(None);
    }
    let descendants =
        java.call_object(&descendants, "java/util/Set", "iterator", "()Ljava/util/Iterator;", &[])?;
    let describe = "(Lorg/junit/platform/engine/TestDescriptor;)V";
    java.call_static(glue::ENGINE_LISTENER, "describe", describe, &[Arg::Object(&root)])?;
    java.call_static(
        glue::ENGINE_LISTENER,
        "all",
        "(Ljava/util/Iterator;)V",
        &[Arg::Object(&descendants)],
    )?;
    let listener = java.construct(glue::ENGINE_LISTENER, "()V", &[])?;
    let execution = java.construct(
        "org/junit/platform/engine/ExecutionRequest",
        "(Lorg/junit/platform/engine/TestDescriptor;Lorg/junit/platform/engine/EngineExecutionListener;\
         Lorg/junit/platform/engine/ConfigurationParameters;)V",
        &[Arg::Object(&root), Arg::Object(&listener), Arg::Object(parameters)],
    );
    let execution = execution.map_err(|problem| match problem {
        Problem::Missing(_) => Problem::Missing(
            "way to run an engine of this version without its launcher\nhint: add the jar junit-platform-launcher"
                .to_owned(),
        ),
        problem => problem,
    })?;
    new_call(java, steps::ENGINE_CALL, &[*engine, execution]).map(Some)
}
