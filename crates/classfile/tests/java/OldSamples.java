import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Vector;

/** Many shapes of bytecode that Java 5 had already, to be damaged by the tests. */
public class OldSamples extends Thread implements Comparable<OldSamples>, Cloneable {
    static long total;
    private int[] numbers = {1, 2, 3};
    private final String name;
    private List<? extends Number> list = new ArrayList<Integer>();
    protected Object[][] grid;

    interface Shape { double area(); }

    static class Circle implements Shape {
        double radius;
        double radius() { return radius; }
        public double area() { return Math.PI * radius * radius; }
    }

    class Square implements Shape {
        private double side = total;
        public double area() { return side * numbers[0]; }
    }

    enum Colour { RED, GREEN, BLUE }

    OldSamples(String name) {
        this(name, name == null ? 0 : name.length());
    }

    OldSamples(String name, int size) {
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

    static double shapes(Shape[] shapes, Colour colour) {
        double sum = 0;
        for (Shape s : shapes) {
            if (s instanceof Circle && ((Circle) s).radius() > 1) sum += s.area();
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

    Object merges(boolean flag, List<String> list, int[] array) {
        Object o = flag ? (Object) list : array;
        Number n = flag ? (Number) Integer.valueOf(1) : (Number) Double.valueOf(2);
        AbstractList<?> a = flag ? new ArrayList<Object>() : new Vector<Object>();
        Comparable<?> c = flag ? "x" : (Comparable<?>) Integer.valueOf(3);
        Object[] arrays = flag ? new Integer[1] : new String[2];
        a.add(null);
        return c == null ? n : o == null ? arrays : a;
    }

    @Override public int compareTo(OldSamples o) {
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
