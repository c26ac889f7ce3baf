import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.function.IntUnaryOperator;

/** Things that change a machine, chosen by number; each gives a text that tells what it saw. */
class Travel {
    static final TreeMap<Integer, Integer> tree = new TreeMap<>();
    static final HashMap<String, Integer> hash = new HashMap<>();
    static final ArrayList<Object> list = new ArrayList<>();
    static final ArrayDeque<Integer> deque = new ArrayDeque<>();
    static final ConcurrentHashMap<Integer, String> concurrent = new ConcurrentHashMap<>();
    static final StringBuilder text = new StringBuilder();
    static final Object[] objects = new Object[64];
    static final long[] longs = new long[64];
    static final ThreadLocal<Integer> local = ThreadLocal.withInitial(() -> 7);
    static final Object lock = new Object();
    static ByteBuffer direct;
    static ExecutorService executor;
    static Thread waiter;
    static boolean released;
    static int counter;

    static class Lazy0 { static int value = ++counter; static Object made = new int[5]; }
    static class Lazy1 { static int value = ++counter; static String text = "lazy" + counter; }
    static class Lazy2 { static { if (counter % 2 == 0) { throw new IllegalStateException("not today"); } } static int value = 2; }
    enum Colour { RED, GREEN, BLUE }
    record Pair(int a, String b) { }
    interface Shape { int area(int x); }

    static final String[] NAMES = {
        "java.util.zip.CRC32", "java.util.concurrent.Phaser", "java.text.ChoiceFormat",
        "java.util.concurrent.Exchanger", "java.util.StringJoiner", "java.util.IdentityHashMap",
        "java.time.YearMonth", "java.util.concurrent.ConcurrentSkipListMap", "java.util.BitSet",
        "java.util.SimpleTimeZone",
    };

    static synchronized int locked(int a) {
        synchronized (lock) {
            return counter += a;
        }
    }

    public static String op(int kind, int a, int b) throws Exception {
        switch (kind) {
            case 0: return "" + tree.put(a, b);
            case 1: return "" + tree.remove(a);
            case 2: return "" + hash.merge("key" + a, b, Integer::sum);
            case 3: list.add(a % 3 == 0 ? "s" + b : Integer.valueOf(b)); return "" + list.size();
            case 4: if (list.isEmpty()) return "empty"; return "" + list.remove(a % list.size());
            case 5: return ("x" + a).intern() == ("x" + a).intern() ? "same" : "different";
            case 6: return "" + System.identityHashCode(a % 2 == 0 ? new Object() : list);
            case 7: return Class.forName(NAMES[a % NAMES.length]).getDeclaredConstructors().length + "";
            case 8: return new Random().nextInt(1000) + " " + (int) (Math.random() * 1000);
            case 9: return System.nanoTime() + " " + System.currentTimeMillis();
            case 10:
                if (direct == null || a == 0) direct = ByteBuffer.allocateDirect(64 + b);
                direct.putInt(a, b);
                return "" + direct.getLong(a / 2);
            case 11: {
                Thread thread = new Thread(() -> { concurrent.put(a, "t" + b); deque.add(a); });
                thread.start();
                thread.join();
                return concurrent.size() + " " + thread.getState();
            }
            case 12: { IntUnaryOperator add = x -> x + b; return "" + add.andThen(x -> x * 2).applyAsInt(a); }
            case 13: text.append(a).append('-').append("b" + b + 'c'); return "" + text.toString().hashCode();
            case 14:
                try { Object o = list; return (String) o; }
                catch (ClassCastException e) { return e.getStackTrace()[0].getMethodName(); }
            case 15: synchronized (lock) { lock.wait(1 + a % 3); } return "waited";
            case 16: { Method m = Travel.class.getDeclaredMethod("locked", int.class); return "" + m.invoke(null, a); }
            case 17: return "" + System.setProperty("travel" + a, "v" + b);
            case 18: local.set(local.get() + a); return "" + local.get();
            case 19: return Colour.values()[a % 3] + " " + new Pair(a, "p" + b).hashCode() + " " + new Pair(a, "q");
            case 20:
                objects[a] = list.isEmpty() ? null : list.get(0);
                longs[a] = b;
                System.arraycopy(objects, 0, objects, 1, 60);
                System.arraycopy(longs, 3, longs, 0, 60);
                return Arrays.hashCode(objects) + " " + Arrays.hashCode(longs);
            case 21: return Array.newInstance(Class.forName(NAMES[a % NAMES.length]), 3, 2).getClass().getName();
            case 22: return Lazy0.value + " " + Lazy1.text;
            case 23: try { return "" + Lazy2.value; } catch (Throwable t) { return t.getClass().getName(); }
            case 24: list.add(new WeakReference<>(new Object())); return "" + list.size();
            case 25: {
                Shape shape = (Shape) Proxy.newProxyInstance(Travel.class.getClassLoader(),
                        new Class<?>[] {Shape.class}, (proxy, method, args) -> (Integer) args[0] * b);
                return "" + shape.area(a);
            }
            case 26:
                if (executor == null) executor = Executors.newFixedThreadPool(2);
                return "" + executor.submit(() -> deque.size() + a).get();
            case 27:
                // A thread that stands in the middle of something while other calls run.
                if (waiter == null) {
                    released = false;
                    waiter = new Thread(() -> {
                        int sum = 0;
                        for (int i = 0; i < 1000000; i++) {
                            synchronized (lock) {
                                while (!released) {
                                    try { lock.wait(); } catch (InterruptedException e) { return; }
                                }
                            }
                            sum += i;
                            if (sum > b) break;
                        }
                        tree.put(1000 + a, sum);
                    });
                    waiter.setDaemon(true);
                    waiter.start();
                    Thread.sleep(1);
                    return "started";
                }
                synchronized (lock) { released = true; lock.notifyAll(); }
                waiter.join();
                waiter = null;
                return "ended " + tree.get(1000 + a);
            default: {
                StringBuilder all = new StringBuilder();
                all.append(tree).append(hash).append(deque).append(concurrent).append(counter).append(list.size());
                return "" + all.toString().hashCode();
            }
        }
    }
}
