import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/** Many shapes of bytecode in one class, to be damaged by the tests. */
public class Samples extends Thread implements Comparable<Samples>, Cloneable {
    static long total;
    private int[] numbers = {1, 2, 3};
    private final String name;
    private List<? extends Number> list = new ArrayList<Integer>();
    protected Object[][] grid;

    interface Shape { double area(); }

    record Circle(double radius) implements Shape {
        public double area() { return Math.PI * radius * radius; }
    }

    record Square(double side) implements Shape {
        public double area() { return side * side; }
    }

    enum Colour { RED, GREEN, BLUE }

    Samples(String name) {
        this(name, name == null ? 0 : name.length());
    }

    Samples(String name, int size) {
        super(name);
        this.name = name;
        grid = new Object[size][3];
    }

    int loops(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            for (int j = n; j > 0; j -= 2) {
                if ((i ^ j) % 3 == 0) continue;
                sum += i * j;
                if (sum > 1000) break;
            }
        }
        return sum;
    }

    long wide(long a, double b, float c, int d) {
        long l = a << d;
        double e = b * c + l;
        l ^= (long) e;
        total += l;
        return (l > a ? l : a) % (d | 1);
    }

    String strings(Object o) {
        String s = "x" + o + numbers.length + total;
        switch (s.length()) {
            case 1: return "one";
            case 2: case 3: s = s.trim(); break;
            case 1000: s = null; break;
            default: s += '!';
        }
        switch (name) {
            case "a": return s;
            case "b": return "bb";
            default: return String.valueOf(s);
        }
    }

    Object handlers(List<String> in) {
        Object result = null;
        try {
            result = in.get(0);
            try {
                synchronized (this) { result = in.iterator().next().concat((String) result); }
            } finally {
                total++;
            }
        } catch (IndexOutOfBoundsException | ClassCastException e) {
            result = e.getMessage();
        } catch (RuntimeException e) {
            throw new IllegalStateException("bad", e);
        } finally {
            numbers = null;
        }
        return result;
    }

    Supplier<String> lambdas(int x) {
        Runnable r = () -> total += x;
        r.run();
        Supplier<String> s = () -> name + x;
        return x > 3 ? s : this::toString;
    }

    static double shapes(Shape[] shapes, Colour colour) {
        double sum = 0;
        for (Shape s : shapes) {
            if (s instanceof Circle c && c.radius() > 1) sum += c.area();
            else sum -= s.area();
        }
        switch (colour) {
            case RED: return sum;
            case GREEN: return -sum;
            default: return 0;
        }
    }

    Object[] arrays(byte[] b, boolean[] z, char[] c, short[] s, long[] l, float[] f, double[] d) {
        b[0] = (byte) (z[1] ? c[0] : s[0]);
        l[0]++;
        f[1] = d[1] > 0 ? 1f : (float) l[0];
        int[][][] cube = new int[2][3][];
        cube[1][2] = new int[] {b[0]};
        grid[0] = new String[] {name};
        Object copy = cube.clone();
        return copy instanceof int[][] ? null : (Object[]) copy;
    }

    @Override public int compareTo(Samples o) {
        return name.compareTo(o.name);
    }

    @Override protected Object clone() throws CloneNotSupportedException {
        return super.clone();
    }

    <T extends Comparable<T>> T max(List<T> in) {
        T best = null;
        for (T t : in) if (best == null || t.compareTo(best) > 0) best = t;
        Collections.sort(in);
        return best;
    }
}
