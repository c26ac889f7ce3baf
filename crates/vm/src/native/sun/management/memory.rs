//! `MemoryMXBean`, memory pools and collectors. The young and the old part of the heap are two pools with
//! two collectors, under the names that the JDK's own collector of this kind gives them, since programs
//! know what those mean; what belongs to classes is the third pool. Nobody is notified of anything.

use crate::frame::{Hook, Res, Trap, Upcall};
use crate::native::{Args, NativeRow, nothing, zero};
use crate::value::Ref;
use crate::vm::Vm;

const MEMORY: &str = "sun/management/MemoryImpl";
const POOL: &str = "sun/management/MemoryPoolImpl";
const MANAGER: &str = "sun/management/MemoryManagerImpl";
const COLLECTOR: &str = "sun/management/GarbageCollectorImpl";
const EXTENDED: &str = "com/sun/management/internal/GarbageCollectorExtImpl";
const INFO: &str = "com/sun/management/internal/GcInfoBuilder";
const FACTORY: &str = "sun/management/ManagementFactoryHelper";
const POOL_BEAN: &str = "java/lang/management/MemoryPoolMXBean";
const MANAGER_BEAN: &str = "java/lang/management/MemoryManagerMXBean";

pub(crate) const NATIVES: &[NativeRow] = &[
    (MEMORY, "getMemoryPools0", "()[Ljava/lang/management/MemoryPoolMXBean;", all_pools),
    (MEMORY, "getMemoryManagers0", "()[Ljava/lang/management/MemoryManagerMXBean;", all_managers),
    (MEMORY, "getMemoryUsage0", "(Z)Ljava/lang/management/MemoryUsage;", memory_usage),
    (POOL, "getUsage0", "()Ljava/lang/management/MemoryUsage;", |vm, args| {
        pool_usage(vm, args, Vm::pool_use)
    }),
    (POOL, "getPeakUsage0", "()Ljava/lang/management/MemoryUsage;", |vm, args| {
        pool_usage(vm, args, Vm::pool_peak)
    }),
    (POOL, "getCollectionUsage0", "()Ljava/lang/management/MemoryUsage;", collection_usage),
    (POOL, "setUsageThreshold0", "(JJ)V", nothing),
    (POOL, "setCollectionThreshold0", "(JJ)V", nothing),
    (POOL, "resetPeakUsage0", "()V", reset_peak),
    (POOL, "setPoolUsageSensor", "(Lsun/management/Sensor;)V", nothing),
    (POOL, "setPoolCollectionSensor", "(Lsun/management/Sensor;)V", nothing),
    (POOL, "getMemoryManagers0", "()[Ljava/lang/management/MemoryManagerMXBean;", managers_of),
    (MANAGER, "getMemoryPools0", "()[Ljava/lang/management/MemoryPoolMXBean;", pools_of),
    (COLLECTOR, "getCollectionCount", "()J", collection_count),
    (COLLECTOR, "getCollectionTime", "()J", collection_time),
    (EXTENDED, "setNotificationEnabled", "", nothing),
    (INFO, "getNumGcExtAttributes", "", zero),
    (INFO, "fillGcAttributeInfo", "", nothing),
    (INFO, "getLastGcInfo0", "", last_collection),
];

/// A part of the memory: its name, whether objects are in it, and the first thresholds of use and of use
/// after a collection, negative where it has none.
struct Pool {
    name: &'static str,
    is_heap: bool,
    thresholds: (i64, i64),
}

const POOLS: [Pool; 3] = [
    Pool { name: "Eden Space", is_heap: true, thresholds: (-1, 0) },
    Pool { name: "Tenured Gen", is_heap: true, thresholds: (0, 0) },
    Pool { name: "Metaspace", is_heap: false, thresholds: (0, -1) },
];

/// Who looks after which pools. The collectors come first, as the statistics have them.
const MANAGERS: [(&str, &[usize]); 3] =
    [("Copy", &[0]), ("MarkSweepCompact", &[0, 1]), ("Metaspace Manager", &[2])];
const N_COLLECTORS: usize = 2;
const NANOS_PER_MILLI: i64 = 1_000_000;

/// Initial size, use, size and limit in bytes; a limit of -1 is not known.
type Figures = [i64; 4];

fn bytes(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

impl Vm {
    fn pool_use(&mut self, pool: usize) -> Figures {
        let used = self.parts().get(pool).copied().unwrap_or_else(|| self.class_bytes());
        self.pool_figures(pool, used)
    }

    fn pool_peak(&mut self, pool: usize) -> Figures {
        let now = self.parts().get(pool).copied().unwrap_or_else(|| self.class_bytes());
        let most = self.gc.stats.most.get(pool).copied().unwrap_or(0);
        self.pool_figures(pool, most.max(now))
    }

    /// Mirrors, static fields and literals.
    fn class_bytes(&self) -> usize {
        let heap = &self.heap;
        heap.perm_top - heap.perm_start + heap.literals_top - heap.literals_start + heap.base_end
    }

    /// The figures of a pool with that many bytes in use.
    fn pool_figures(&self, pool: usize, used: usize) -> Figures {
        let limit = self.options.heap_limit;
        match pool {
            0 => [bytes(self.heap.nursery), bytes(used), bytes(used.max(self.heap.nursery)), -1],
            1 => [bytes(limit), bytes(used), bytes(limit.max(used)), bytes(limit.max(used))],
            _ => [0, bytes(used), bytes(used), -1],
        }
    }
}

/// A `MemoryUsage` as its constructor leaves it.
fn new_usage(vm: &mut Vm, figures: Figures) -> Res<Ref> {
    let class = vm.boot_class("java/lang/management/MemoryUsage")?;
    vm.ensure_initialised(class)?;
    let object = vm.new_object(class)?;
    for (name, figure) in ["init", "used", "committed", "max"].into_iter().zip(figures) {
        let offset = vm.field_offset(class, name, "J");
        vm.heap.store_u64(object, offset, figure.cast_unsigned());
    }
    Ok(object)
}

/// Of the heap, or of what classes take.
fn memory_usage(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let figures = if args.boolean() {
        let limit = bytes(vm.options.heap_limit);
        [limit, bytes(vm.heap.used()).min(limit), limit, limit]
    } else {
        vm.pool_use(POOLS.len() - 1)
    };
    Ok(new_usage(vm, figures)?.to_slot())
}

/// The name in a pool or manager.
fn name_in(vm: &Vm, object: Ref) -> String {
    vm.string_text(vm.get_field_ref(object, "name", "Ljava/lang/String;"))
}

/// The pool behind a `MemoryPoolImpl`.
fn pool(vm: &mut Vm, args: &mut Args<'_>) -> Res<usize> {
    let name = name_in(vm, args.reference());
    match POOLS.iter().position(|pool| pool.name == name) {
        Some(pool) => Ok(pool),
        None => Err(vm.throw("java/lang/InternalError", "Invalid memory pool")),
    }
}

/// The manager behind a `MemoryManagerImpl`.
fn manager(vm: &mut Vm, object: Ref) -> Res<usize> {
    let name = name_in(vm, object);
    match MANAGERS.iter().position(|(manager, _)| *manager == name) {
        Some(manager) => Ok(manager),
        None => Err(vm.throw("java/lang/InternalError", "Invalid memory manager")),
    }
}

fn pool_usage(vm: &mut Vm, mut args: Args<'_>, figures: fn(&mut Vm, usize) -> Figures) -> Res<u64> {
    let pool = pool(vm, &mut args)?;
    let figures = figures(vm, pool);
    Ok(new_usage(vm, figures)?.to_slot())
}

/// What the last collection left; null for what is not collected.
fn collection_usage(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let pool = pool(vm, &mut args)?;
    if !POOLS[pool].is_heap {
        return Ok(0);
    }
    let past = vm.gc.stats.last.iter().flatten().max_by_key(|past| past.nanos.1);
    let used = past.map_or(0, |past| past.after[pool]);
    let figures = vm.pool_figures(pool, used);
    Ok(new_usage(vm, figures)?.to_slot())
}

fn reset_peak(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let pool = pool(vm, &mut args)?;
    if let Some(most) = vm.gc.stats.most.get_mut(pool) {
        *most = 0;
    }
    Ok(0)
}

fn static_method(vm: &mut Vm, class: &str, name: &str, descriptor: &str) -> Res<Upcall> {
    let class = vm.boot_class(class)?;
    vm.ensure_initialised(class)?;
    let found = vm.class(class).method(name.as_bytes(), descriptor.as_bytes());
    match found.map(|method| method.id) {
        Some(method) => Ok(Upcall { method, args: Vec::new(), hook: Hook::Resume { state: 0 } }),
        None => Err(vm.throw("java/lang/NoSuchMethodError", name)),
    }
}

/// Makes all pools or managers, one call after the other: `make` gives the call for one. Until all
/// are there they are kept in the field where their caller keeps them, under its lock.
fn make_all(
    vm: &mut Vm,
    (field, bean): (&str, &str),
    n: usize,
    make: fn(&mut Vm, usize) -> Res<Upcall>,
) -> Res<u64> {
    let resumed = vm.resumed.take();
    let class = vm.boot_class(MEMORY)?;
    let bean_class = vm.boot_class(bean)?;
    let (mirror, offset) = vm.static_slot(class, field, &format!("[L{bean};"));
    let next = match resumed {
        Some((idx, made)) => {
            let array = vm.heap.load_ref(mirror, offset);
            vm.heap.set_element_ref(array, u32::try_from(idx).unwrap_or(0), Ref::from_slot(made));
            usize::try_from(idx).unwrap_or(n) + 1
        }
        None => {
            // All classes are loaded here, so that nothing comes between the calls themselves.
            for idx in 0..n {
                make(vm, idx)?;
            }
            let array = vm.new_ref_array(bean_class, &vec![Ref::NULL; n])?;
            vm.heap.store_ref(mirror, offset, array);
            0
        }
    };
    if next == n {
        return Ok(vm.heap.load_ref(mirror, offset).to_slot());
    }
    let mut upcall = make(vm, next)?;
    upcall.hook = Hook::Resume { state: next as u64 };
    Err(Trap::Upcall(Box::new(upcall)))
}

fn all_pools(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    make_all(vm, ("pools", POOL_BEAN), POOLS.len(), |vm, idx| {
        let descriptor = "(Ljava/lang/String;ZJJ)Ljava/lang/management/MemoryPoolMXBean;";
        let mut upcall = static_method(vm, FACTORY, "createMemoryPool", descriptor)?;
        let Pool { name, is_heap, thresholds: (used, collected) } = &POOLS[idx];
        let name = vm.new_string(name)?;
        upcall.args = vec![name.to_slot(), u64::from(*is_heap)];
        upcall.args.extend([used.cast_unsigned(), 0, collected.cast_unsigned(), 0]);
        Ok(upcall)
    })
}

fn all_managers(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    make_all(vm, ("mgrs", MANAGER_BEAN), MANAGERS.len(), |vm, idx| {
        let is_collector = idx < N_COLLECTORS;
        let mut upcall = if is_collector {
            let descriptor = "(Ljava/lang/String;Ljava/lang/String;)\
                Ljava/lang/management/GarbageCollectorMXBean;";
            static_method(vm, EXTENDED, "createGarbageCollector", descriptor)?
        } else {
            let descriptor = "(Ljava/lang/String;)Ljava/lang/management/MemoryManagerMXBean;";
            static_method(vm, FACTORY, "createMemoryManager", descriptor)?
        };
        let name = vm.new_string(MANAGERS[idx].0)?;
        upcall.args = vec![name.to_slot()];
        if is_collector {
            upcall.args.push(0);
        }
        Ok(upcall)
    })
}

/// The elements of an array of beans that belong to something.
fn some(vm: &mut Vm, beans: u64, bean: &str, belongs: impl Fn(usize) -> bool) -> Res<u64> {
    let beans = Ref::from_slot(beans);
    let n = vm.heap.array_length(beans);
    let kept = (0..n).filter(|&idx| belongs(idx as usize));
    let kept: Vec<Ref> = kept.map(|idx| vm.heap.element_ref(beans, idx)).collect();
    let class = vm.boot_class(bean)?;
    Ok(vm.new_ref_array(class, &kept)?.to_slot())
}

/// Calls a method that gives all beans; the native comes back with them.
fn ask_for(vm: &mut Vm, name: &str, bean: &str) -> Trap {
    match static_method(vm, MEMORY, name, &format!("()[L{bean};")) {
        Ok(upcall) => Trap::Upcall(Box::new(upcall)),
        Err(trap) => trap,
    }
}

fn managers_of(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let Some((_, beans)) = vm.resumed.take() else {
        return Err(ask_for(vm, "getMemoryManagers", MANAGER_BEAN));
    };
    let pool = pool(vm, &mut args)?;
    some(vm, beans, MANAGER_BEAN, |idx| {
        MANAGERS.get(idx).is_some_and(|(_, pools)| pools.contains(&pool))
    })
}

fn pools_of(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let Some((_, beans)) = vm.resumed.take() else {
        return Err(ask_for(vm, "getMemoryPools", POOL_BEAN));
    };
    let manager = manager(vm, args.reference())?;
    some(vm, beans, POOL_BEAN, |idx| MANAGERS[manager].1.contains(&idx))
}

fn n_collections(vm: &Vm, manager: usize) -> u64 {
    let stats = &vm.gc.stats;
    if manager == 0 { stats.n_young } else { stats.n_full }
}

fn collection_count(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let manager = manager(vm, args.reference())?;
    Ok(n_collections(vm, manager))
}

fn collection_time(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let manager = manager(vm, args.reference())?;
    let nanos = vm.gc.stats.nanos.get(manager).copied().unwrap_or(0);
    Ok((nanos / NANOS_PER_MILLI).cast_unsigned())
}

/// A `GcInfo` about the last collection of a collector, null before the first.
fn last_collection(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let builder = args.reference();
    let manager = manager(vm, args.reference())?;
    args.int();
    let attributes = args.reference();
    args.reference();
    let usages = [args.reference(), args.reference()];
    let Some(past) = vm.gc.stats.last.get(manager).copied().flatten() else { return Ok(0) };
    for (array, parts) in usages.into_iter().zip([past.before, past.after]) {
        for idx in 0..vm.heap.array_length(array) {
            let pool = idx as usize;
            let used = parts.get(pool).copied().unwrap_or_else(|| vm.class_bytes());
            let figures = vm.pool_figures(pool, used);
            let usage = new_usage(vm, figures)?;
            vm.heap.set_element_ref(array, idx, usage);
        }
    }
    let class = vm.boot_class("com/sun/management/GcInfo")?;
    vm.ensure_initialised(class)?;
    let descriptor = b"(Lcom/sun/management/internal/GcInfoBuilder;JJJ\
        [Ljava/lang/management/MemoryUsage;[Ljava/lang/management/MemoryUsage;\
        [Ljava/lang/Object;)V";
    let Some(method) = vm.class(class).method(b"<init>", descriptor).map(|method| method.id) else {
        return Err(vm.throw("java/lang/NoSuchMethodError", "GcInfo.<init>"));
    };
    let object = vm.new_object(class)?;
    let mut words = vec![object.to_slot(), builder.to_slot(), n_collections(vm, manager), 0];
    for nanos in [past.nanos.0, past.nanos.1] {
        words.extend([(nanos / NANOS_PER_MILLI).cast_unsigned(), 0]);
    }
    words.extend(usages.map(Ref::to_slot));
    words.push(attributes.to_slot());
    let hook = Hook::ReflectNew { object };
    Err(Trap::Upcall(Box::new(Upcall { method, args: words, hook })))
}
