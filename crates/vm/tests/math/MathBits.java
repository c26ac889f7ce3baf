import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/**
 * Writes the bits of floating-point functions for the same pseudo-random arguments that crates/vm/tests/math.rs draws.
 * Arguments: samples per function, then the functions' names.
 */
class MathBits {
    private static final double[] SPECIAL = {
        0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 1.5, 0.25, 10.0, 100.0,
        Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN,
        Double.MIN_VALUE, -Double.MIN_VALUE, Double.MIN_NORMAL, -Double.MIN_NORMAL,
        Double.MAX_VALUE, -Double.MAX_VALUE, Math.PI, -Math.PI, Math.PI / 2, -Math.PI / 2, Math.PI / 4, Math.E,
        709.782712893384, -745.1332191019411, 710.4758600739439, 4503599627370496.0, 9007199254740993.0,
        -4503599627370497.0, 0x1p-1074, 0x1p1023, 0x1p-30, 1.0000000000000002, 0.9999999999999999,
        2147483647.0, -2147483648.0, 9223372036854775807.0,
    };

    private long state = 42;

    private long next() {
        state += 0x9E3779B97F4A7C15L;
        long z = state;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    private double unit() {
        return (next() >>> 11) * 0x1p-53;
    }

    private double argument() {
        switch ((int) ((next() >>> 1) % 11)) {
            case 0: return Double.longBitsToDouble(next());
            case 1: return (next() >>> 53) - 1024.0;
            case 2: return ((next() >>> 50) - 8192.0) / 10.0;
            case 3: return unit() * 20.0 - 10.0;
            case 4: return unit() * 1e6;
            case 5: return withExponent(next());
            case 6: return withExponent(next() & 0xffff_ffff_0000_0000L);
            case 7: return unit() * 1600.0 - 800.0;
            case 8: return 1.0 + (unit() - 0.5) / (1L << (next() >>> 59));
            case 9: return ((next() >>> 48) - 32768.0) * (Math.PI / 32.0);
            default: return SPECIAL[(int) ((next() >>> 1) % SPECIAL.length)];
        }
    }

    /** Replaces the exponent by one between -64 and 63. */
    private static double withExponent(long bits) {
        long exponent = 959 + ((bits >>> 52) & 127);
        return Double.longBitsToDouble((bits & 0x800f_ffff_ffff_ffffL) | exponent << 52);
    }

    private static DoubleUnaryOperator unary(String name) {
        switch (name) {
            case "strict.sin": return StrictMath::sin;
            case "strict.cos": return StrictMath::cos;
            case "strict.tan": return StrictMath::tan;
            case "strict.asin": return StrictMath::asin;
            case "strict.acos": return StrictMath::acos;
            case "strict.atan": return StrictMath::atan;
            case "strict.exp": return StrictMath::exp;
            case "strict.expm1": return StrictMath::expm1;
            case "strict.log": return StrictMath::log;
            case "strict.log10": return StrictMath::log10;
            case "strict.log1p": return StrictMath::log1p;
            case "strict.sqrt": return StrictMath::sqrt;
            case "strict.cbrt": return StrictMath::cbrt;
            case "strict.sinh": return StrictMath::sinh;
            case "strict.cosh": return StrictMath::cosh;
            case "strict.tanh": return StrictMath::tanh;
            case "sin": return Math::sin;
            case "cos": return Math::cos;
            case "tan": return Math::tan;
            case "exp": return Math::exp;
            case "log": return Math::log;
            case "log10": return Math::log10;
            case "tanh": return Math::tanh;
            case "cbrt": return Math::cbrt;
            case "floor": return Math::floor;
            case "ceil": return Math::ceil;
            case "rint": return Math::rint;
            case "signum": return Math::signum;
            case "round": return x -> (double) Math.round(x);
            case "round_f32": return x -> (double) Math.round((float) x);
            case "d2i": return x -> (double) (int) x;
            case "d2l": return x -> (double) (long) x;
            case "f2i": return x -> (double) (int) (float) x;
            case "f2l": return x -> (double) (long) (float) x;
            default: return null;
        }
    }

    private static DoubleBinaryOperator binary(String name) {
        switch (name) {
            case "strict.atan2": return StrictMath::atan2;
            case "strict.hypot": return StrictMath::hypot;
            case "strict.pow": return StrictMath::pow;
            case "strict.IEEEremainder": return StrictMath::IEEEremainder;
            case "pow": return Math::pow;
            case "drem": return (x, y) -> x % y;
            case "frem": return (x, y) -> (float) x % (float) y;
            case "dmin": return Math::min;
            case "dmax": return Math::max;
            case "fmin": return (x, y) -> Math.min((float) x, (float) y);
            case "fmax": return (x, y) -> Math.max((float) x, (float) y);
            case "fma": return (x, y) -> Math.fma(x, y, -(x * y));
            case "fma_f32": return (x, y) -> Math.fma((float) x, (float) y, -((float) x * (float) y));
            default: throw new IllegalArgumentException(name);
        }
    }

    public static void main(String[] args) throws IOException {
        int samples = Integer.parseInt(args[0]);
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        BufferedOutputStream out = new BufferedOutputStream(System.out);
        for (int i = 1; i < args.length; i++) {
            MathBits source = new MathBits();
            DoubleUnaryOperator unary = unary(args[i]);
            DoubleBinaryOperator binary = unary == null ? binary(args[i]) : null;
            for (int sample = 0; sample < samples; sample++) {
                double x = source.argument();
                double result = unary != null ? unary.applyAsDouble(x) : binary.applyAsDouble(x, source.argument());
                buffer.putLong(Double.doubleToLongBits(result));
                if (!buffer.hasRemaining()) {
                    out.write(buffer.array());
                    buffer.clear();
                }
            }
        }
        out.write(buffer.array(), 0, buffer.position());
        out.flush();
    }
}
