//! What methods write that the machine runs itself is taken back by a rollback, as all other writes are.

mod machine;

use machine::{method, with_java};
use vm::interp::Outcome;
use vm::value::{MethodId, Value};
use vm::vm::Vm;

const SOURCE: &str = r#"
    import java.lang.invoke.MethodHandles;
    import java.lang.invoke.VarHandle;
    import java.math.BigInteger;
    import java.nio.ByteBuffer;
    import java.util.Arrays;
    import java.util.Base64;
    import java.util.concurrent.atomic.*;

    class Written {
        int count = 1;
        String text = "a";
        static final Written one = new Written();
        static final VarHandle COUNT, TEXT, INTS, VIEW;
        static final AtomicInteger atomic = new AtomicInteger(3);
        static final AtomicReference<String> reference = new AtomicReference<>("r");
        static final LongAdder adder = new LongAdder();
        static final byte[] bytes = new byte[64], coded = new byte[64];
        static final int[] ints = new int[16];
        static final long[] longs = new long[16];
        static final ByteBuffer direct = ByteBuffer.allocateDirect(64), heap = ByteBuffer.allocate(64);

        static {
            try {
                COUNT = MethodHandles.lookup().findVarHandle(Written.class, "count", int.class);
                TEXT = MethodHandles.lookup().findVarHandle(Written.class, "text", String.class);
                INTS = MethodHandles.arrayElementVarHandle(int[].class);
                VIEW = MethodHandles.byteArrayViewVarHandle(long[].class, java.nio.ByteOrder.BIG_ENDIAN);
            } catch (ReflectiveOperationException e) {
                throw new Error(e);
            }
        }

        static int state(int unused) {
            int sum = one.count * 31 + one.text.hashCode();
            sum = sum * 31 + atomic.get() + reference.get().hashCode() + adder.intValue();
            sum = sum * 31 + Arrays.hashCode(bytes) + Arrays.hashCode(ints) + Arrays.hashCode(longs) + Arrays.hashCode(coded);
            for (int i = 0; i < 64; i++) {
                sum = sum * 31 + direct.get(i) * 7 + heap.get(i);
            }
            return sum;
        }

        static int change(int x) {
            int before = 0;
            for (int i = 0; i < 3; i++) {
                COUNT.getAndAdd(one, x);
                TEXT.set(one, "b" + x + i);
                INTS.compareAndSet(ints, i, ints[i], x + i);
                VIEW.set(bytes, 5 + i, 0x0102030405060708L * x);
                atomic.addAndGet(x);
                reference.compareAndSet(reference.get(), "s" + i);
                adder.add(x);
                direct.putLong(3 + i, x * 77L).put(60, (byte) x);
                heap.putInt(1 + i, x * 99).putDouble(40, x);
                Arrays.fill(longs, 2, 9, x);
                Base64.getEncoder().encode(Arrays.copyOf(bytes, 30), coded);
                before += BigInteger.valueOf(x + 2).modPow(BigInteger.valueOf(x + 9), BigInteger.valueOf(1000003)).intValue();
            }
            return before;
        }
    }
"#;

fn call(vm: &mut Vm, method: MethodId, x: u64) -> i32 {
    match vm.call_plain(method, &[x]) {
        Outcome::Returned(Value::Int(value)) => value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_rollback_takes_back_what_intrinsics_wrote() {
    with_java("intrinsics", SOURCE, |vm, class| {
        let class = class(vm, "Written");
        let (state, change) =
            (method(vm, class, "state", "(I)I"), method(vm, class, "change", "(I)I"));
        // Sites are linked, so that what follows runs without frames.
        call(vm, change, 1);
        let before = call(vm, state, 0);
        for x in 2..5 {
            let mark = vm.mark();
            call(vm, change, x);
            let after = call(vm, state, 0);
            assert_ne!(after, before);
            let inner = vm.mark();
            call(vm, change, x + 10);
            vm.rollback(inner);
            assert_eq!(call(vm, state, 0), after);
            vm.rollback(mark);
            assert_eq!(call(vm, state, 0), before);
        }
    });
}
