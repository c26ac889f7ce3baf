//! Caches of the JDK (names, time zones, formats) that cost much to fill are filled once and for all: that is
//! no part of what a run leads to.

use vm::interp::Outcome;
use vm::value::Ref;

use crate::session::Session;

/// A call that fills a cache: a static method without parameters, and a method of what it gives.
struct Fill {
    /// Who needs this class needs the cache.
    class: &'static str,
    make: (&'static str, &'static str, &'static str),
    then: Option<(&'static str, &'static str)>,
}

const FILLS: &[Fill] = &[
    Fill {
        class: "java/util/Calendar",
        make: ("java/util/Calendar", "getInstance", "()Ljava/util/Calendar;"),
        then: Some(("toString", "()Ljava/lang/String;")),
    },
    Fill {
        class: "sun/util/calendar/ZoneInfoFile",
        make: ("java/util/Calendar", "getInstance", "()Ljava/util/Calendar;"),
        then: Some(("toString", "()Ljava/lang/String;")),
    },
    Fill {
        class: "sun/util/locale/provider/LocaleProviderAdapter",
        make: ("java/util/Locale", "getDefault", "()Ljava/util/Locale;"),
        then: Some(("getDisplayName", "()Ljava/lang/String;")),
    },
    Fill {
        class: "sun/util/locale/provider/TimeZoneNameUtility",
        make: ("java/util/TimeZone", "getDefault", "()Ljava/util/TimeZone;"),
        then: Some(("getDisplayName", "()Ljava/lang/String;")),
    },
    Fill {
        class: "sun/util/locale/provider/LocaleServiceProviderPool",
        make: ("java/util/Locale", "getAvailableLocales", "()[Ljava/util/Locale;"),
        then: None,
    },
    Fill {
        class: "java/text/NumberFormat",
        make: ("java/text/NumberFormat", "getInstance", "()Ljava/text/NumberFormat;"),
        then: None,
    },
    Fill {
        class: "java/text/DecimalFormatSymbols",
        make: (
            "java/text/DecimalFormatSymbols",
            "getInstance",
            "()Ljava/text/DecimalFormatSymbols;",
        ),
        then: None,
    },
    Fill {
        class: "java/text/DateFormat",
        make: ("java/text/DateFormat", "getInstance", "()Ljava/text/DateFormat;"),
        then: None,
    },
    Fill {
        class: "java/time/zone/ZoneRulesProvider",
        make: ("java/time/ZoneId", "systemDefault", "()Ljava/time/ZoneId;"),
        then: Some(("getRules", "()Ljava/time/zone/ZoneRules;")),
    },
    Fill {
        class: "java/util/Currency",
        make: ("java/util/Currency", "getAvailableCurrencies", "()Ljava/util/Set;"),
        then: None,
    },
    Fill {
        class: "sun/security/jca/Providers",
        make: ("java/util/UUID", "randomUUID", "()Ljava/util/UUID;"),
        then: None,
    },
];

/// Bytecodes that filling a cache may take.
const FUEL: u64 = 50_000_000;

/// Fills the caches that whoever needs this class needs too.
pub(crate) fn fill(session: &mut Session, class: &str) {
    for fill in FILLS.iter().filter(|fill| fill.class == class) {
        // What does not work says so again when it is called.
        let _ = run(session, fill);
    }
}

fn run(session: &mut Session, fill: &Fill) -> Option<()> {
    let (class, name, descriptor) = fill.make;
    let class = session.class(class).ok()?;
    let vm = &mut session.vm;
    let make = vm.lookup_method(class, name.as_bytes(), descriptor.as_bytes())?;
    let made = returned(vm.call(&mut vm::mode::Plain, make, &[], Some(FUEL)))?;
    let (name, descriptor) = fill.then?;
    let class = vm.class_of(made);
    let then = vm.lookup_method(class, name.as_bytes(), descriptor.as_bytes())?;
    returned(vm.call(&mut vm::mode::Plain, then, &[made.to_slot()], Some(FUEL))).map(|_| ())
}

fn returned(outcome: Outcome) -> Option<Ref> {
    match outcome {
        Outcome::Returned(value) => {
            Some(Ref::from_slot(value.to_slot())).filter(|it| !it.is_null())
        }
        Outcome::Threw(_) | Outcome::Stopped(_) => None,
    }
}
