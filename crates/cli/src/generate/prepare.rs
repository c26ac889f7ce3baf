//! What classes are tried with: their methods with argument lists, the classes that stand in for abstract
//! ones, and, where several classes are tried together, objects of one as arguments of the others.

use std::sync::Arc;

use generate::api::{self, Api, Choice};
use generate::arguments::collected::Collected;
use generate::arguments::{self, Argument, ArgumentList, Given, Plan, Pool, Uncallable};
use generate::states::objects::objects;
use generate::states::{Job, Unwatched, explore};
use observe::session::Session;
use suite::constant::Constant;
use suite::method::Method;
use suite::types::Type;

use crate::inputs::Inputs;
use crate::machines::Machines;
use crate::options::ExploreOptions;

/// Objects of one class that others are given, at most, where classes are tried together.
const MOST_OBJECTS: usize = 4;

/// What classes are tried with.
pub(crate) struct Prepared {
    pub(crate) job: Job,
    /// Methods that cannot be called, each with the type of which there is no value.
    pub(crate) missing: Vec<Uncallable>,
    /// What existing tests did with them.
    pub(crate) collected: Collected,
    /// Classes of the job that stand in for an abstract one, with the one they stand in for.
    pub(crate) stand_ins: Vec<(String, String)>,
}

/// What a class offers, and who stands in for it.
struct Offer {
    api: Api,
    makers: Vec<Arc<Method>>,
    /// Calls that make objects of it where it offers none.
    on_others: Vec<ArgumentList>,
    stand_ins: Vec<String>,
}

/// Finds out what classes are tried with, one or several together.
pub(crate) fn prepare(
    machines: &Machines,
    group: &[String],
    options: &ExploreOptions,
    inputs: &Inputs,
) -> Result<Prepared, String> {
    let mut first = machines.session().map_err(|error| error.to_string())?;
    let mut plan = Plan {
        given: Given::default(),
        depth: 3,
        most_per_method: 64,
        own_constants: true,
        always_defaults: options.default_arguments,
        implementations: inputs.implementations.clone(),
    };
    let mut offers = Vec::new();
    for class in group {
        offers.push(offer(&mut first, class, options, inputs, &plan)?);
    }
    for name in options.method_names() {
        if !offers.iter().any(|offer| has_method(&offer.api, &name)) {
            let classes: Vec<String> = group.iter().map(|class| class.replace('/', ".")).collect();
            return Err(format!("{} has no {name} that a test can call", classes.join(", ")));
        }
    }
    let mut given = Given::parse(&options.arguments).map_err(|error| error.to_string())?;
    let all = |offer: &Offer| -> Vec<Arc<Method>> {
        offer.makers.iter().chain(&offer.api.methods).cloned().collect()
    };
    let methods: Vec<Arc<Method>> = offers.iter().flat_map(all).collect();
    let named: Vec<&Method> = methods.iter().map(|method| &**method).collect();
    given.settle(&named).map_err(|error| format!("--arguments {error}"))?;
    plan.given = given;
    let mut classes = Vec::new();
    let mut stand_ins = Vec::new();
    for (class, offer) in group.iter().zip(&offers) {
        classes.push(class.clone());
        for name in &offer.stand_ins {
            if !group.contains(name) {
                classes.push(name.clone());
                stand_ins.push((name.clone(), class.clone()));
            }
        }
    }
    let mut collected = inputs.collected(&mut first, &classes, &methods, options);
    if group.len() > 1 {
        let given = collected.pool.clone();
        // The second time, objects of one are made with objects of the others.
        for _ in 0..2 {
            let known = std::mem::replace(&mut collected.pool, given.clone());
            for (class, offer) in group.iter().zip(&offers) {
                let own = Type::class(class);
                let is_wanted = methods.iter().any(|method| method.parameters.contains(&own));
                if is_wanted && given.of(&own).is_empty() {
                    for object in alone(machines, class, offer, &known, options, &plan)? {
                        collected.pool.add(own.clone(), object);
                    }
                    collected.pool.add(own, Argument::Constant(Constant::Null));
                }
            }
        }
    }
    let mut job = empty_job(classes, options);
    let mut missing = Vec::new();
    for offer in &offers {
        let (makers, none) = arguments::lists(&mut first, &offer.makers, &collected.pool, &plan);
        for list in makers.into_iter().chain(offer.on_others.iter().cloned()) {
            // What stands in for one class may be under test itself.
            if !job.makers.contains(&list) {
                job.makers.push(list);
            }
        }
        missing.extend(none);
        let (lists, none) =
            arguments::lists(&mut first, &offer.api.methods, &collected.pool, &plan);
        job.lists.extend(lists);
        missing.extend(none);
    }
    Ok(Prepared { job, missing, collected, stand_ins })
}

fn empty_job(classes: Vec<String>, options: &ExploreOptions) -> Job {
    Job {
        classes,
        makers: Vec::new(),
        lists: Vec::new(),
        technique: options.technique,
        mask: options.mask(),
        iterations: Some(options.n_iterations()),
        most_states: options.most_states(),
        most_calls: options.most_calls(),
        fuel: options.fuel,
        n_workers: options.n_workers(),
        keep_calls: true,
    }
}

/// Objects of a class in the states that one call leads to.
fn alone(
    machines: &Machines,
    class: &str,
    offer: &Offer,
    known: &Pool,
    options: &ExploreOptions,
    plan: &Plan,
) -> Result<Vec<Argument>, String> {
    let classes = std::iter::once(class.to_owned()).chain(offer.stand_ins.iter().cloned());
    let mut first = machines.session().map_err(|error| error.to_string())?;
    let job = Job {
        makers: arguments::lists(&mut first, &offer.makers, known, plan).0,
        lists: arguments::lists(&mut first, &offer.api.methods, known, plan).0,
        iterations: Some(1),
        most_states: MOST_OBJECTS,
        n_workers: 1,
        keep_calls: false,
        ..empty_job(classes.collect(), options)
    };
    drop(first);
    let session = || machines.session();
    let explored = explore(&job, &session, &Unwatched).map_err(|error| error.to_string())?;
    Ok(objects(&job, &explored, MOST_OBJECTS))
}

fn has_method(api: &Api, name: &str) -> bool {
    let simple = name.split('(').next().unwrap_or(name).trim();
    match simple {
        "new" => !api.constructors.is_empty(),
        _ => api.methods.iter().chain(&api.statics).any(|method| *method.name == *simple),
    }
}

fn offer(
    first: &mut Session,
    class: &str,
    options: &ExploreOptions,
    inputs: &Inputs,
    plan: &Plan,
) -> Result<Offer, String> {
    let choice =
        Choice { package_private: options.package_private, methods: options.method_names() };
    let api = api::of_class(first, class, &choice).map_err(|error| error.to_string())?;
    let mut makers: Vec<Arc<Method>> =
        api.constructors.iter().chain(&api.statics).cloned().collect();
    let makes_object = |maker: &Arc<Method>| maker.result() == Type::class(class);
    let mut stand_ins = Vec::new();
    if api.is_abstract {
        for (name, made_by) in implementations(first, class, options, inputs) {
            stand_ins.push(name);
            makers.extend(made_by);
        }
    }
    let mut on_others = Vec::new();
    if !api.is_abstract && !makers.iter().any(makes_object) {
        on_others = arguments::calls_on_others(first, class, plan);
    }
    let is_made = makers.iter().any(makes_object) || !on_others.is_empty();
    if stand_ins.is_empty() && !is_made && api.statics.is_empty() {
        let name = class.replace('/', ".");
        return Err(match api.is_abstract {
            true => format!(
                "{name} is abstract, no static method makes an object of it and no public class of the class path implements it\nhint: add the folder or jar of one that does to --classpath"
            ),
            false => format!(
                "{name} has no public constructor and no static method that makes an object of it\nhint: --package-private also calls what its package sees"
            ),
        });
    }
    Ok(Offer { api, makers, on_others, stand_ins })
}

/// What implements an abstract class or interface and can be made, with what makes it.
fn implementations(
    first: &mut Session,
    class: &str,
    options: &ExploreOptions,
    inputs: &Inputs,
) -> Vec<(String, Vec<Arc<Method>>)> {
    let known = arguments::well_known(class).map(str::to_owned);
    let found = inputs.implementations.of(class);
    let names = known.into_iter().chain(found.iter().map(ToString::to_string));
    let choice = Choice { package_private: options.package_private, methods: Vec::new() };
    let mut usable = Vec::new();
    for name in names {
        // What cannot be loaded here implements nothing here.
        let Ok(api) = api::of_class(first, &name, &choice) else { continue };
        let own = Type::class(&name);
        let factories = api.statics.iter().filter(|method| method.returns == own);
        let makers: Vec<Arc<Method>> = api.constructors.iter().chain(factories).cloned().collect();
        if !makers.is_empty() {
            usable.push((name, makers));
        }
    }
    usable
}
