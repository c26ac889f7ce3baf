import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.*;

/** One case per way to link a call site. */
class CallSites {
    record Point(int x, long y, double z, String name, int[] array, Object any) {}
    record Empty() {}
    interface Shout { String shout(Object o, int n, long l); }
    interface Wide { long wide(Integer i, char c); }
    int field = 3;

    static int twice(int x) { return 2 * x; }
    private String own(String s) { return s + field; }

    static class Thrower { public String toString() { throw new IllegalStateException("no text"); } }
    static class Nothing { public String toString() { return null; } }

    public static String run(int which, int n) throws Throwable {
        switch (which) {
            case 0: { IntUnaryOperator f = x -> x + 1; IntUnaryOperator g = CallSites::twice; return "" + f.andThen(g).applyAsInt(n); }
            case 1: { long a = n; String b = "b"; double d = 0.5; Supplier<String> f = () -> a + b + d; return f.get(); }
            case 2: { Function<String, Integer> f = String::length; ToIntFunction<String> g = String::length; Function<Integer, Long> h = Integer::longValue; return f.apply("abc") + "," + g.applyAsInt("ab") + "," + h.apply(n); }
            case 3: { Supplier<List<String>> f = ArrayList::new; IntFunction<int[]> g = int[]::new; List<String> l = f.get(); l.add("x"); return l + "" + g.apply(n).length; }
            case 4: { CallSites c = new CallSites(); UnaryOperator<String> f = c::own; return f.apply("own"); }
            case 5: { Shout f = (o, i, l) -> o + "!" + i + l; Wide w = (i, c) -> i + c; return f.shout(null, n, 9L) + w.wide(n, 'a'); }
            case 6: { boolean z = n > 3; char c = 'c'; byte b = -1; short s = 7; float f = 1.5f; double d = -0.0; Object o = List.of(1, 2); return "<" + z + c + b + s + n + 5L + f + d + o + null + "é" + "\u4e2d" + ">"; }
            case 7: { String s = null; s += 1; s += "x"; s = n + s + 'y'; return s + new Nothing() + "\u0001\u0002"; }
            case 8: { try { return "text: " + new Thrower(); } catch (IllegalStateException e) { return e.getMessage() + e.getStackTrace()[0].getMethodName() + e.getStackTrace().length; } }
            case 9: { int[] array = {1}; Point p = new Point(1, 2, Double.NaN, "p", array, null); Point q = new Point(1, 2, Double.NaN, "p", array, null); return p.toString().replaceAll("@[0-9a-f]+", "@") + p.equals(q) + p.equals(new Point(1, 2, 0.0, "p", array, null)) + p.equals("p") + (p.hashCode() == q.hashCode()) + new Empty() + new Empty().hashCode() + new Empty().equals(new Empty()); }
            case 10: { Runnable one = null; Runnable other = null; for (int i = 0; i < 2; i++) { Runnable r = () -> {}; if (i == 0) { one = r; } else { other = r; } } return (one == other) + "" + one.getClass().isHidden() + one.getClass().getDeclaredMethods().length + one.getClass().getDeclaredConstructors().length + one.getClass().getNestHost().getName(); }
            case 11: { MethodHandle h = MethodHandles.lookup().findStatic(CallSites.class, "twice", MethodType.methodType(int.class, int.class)); return "" + (int) h.invokeExact(n) + h.invoke(n); }
            case 12: { VarHandle v = MethodHandles.lookup().findVarHandle(CallSites.class, "field", int.class); CallSites c = new CallSites(); v.set(c, n); return "" + v.compareAndSet(c, n, 8) + (int) v.get(c); }
            default: { Function<Object, Object> f = (Function<Object, Object> & java.io.Serializable) x -> x + "s"; try { ((Function) (Function<String, Integer>) String::length).apply(5); return "no"; } catch (ClassCastException e) { return f.apply(n).toString() + e.getMessage().startsWith("class java.lang.Integer"); } }
        }
    }
}
