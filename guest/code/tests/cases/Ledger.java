/* License { */

package com.example;

import java.util.*;
import static java.lang.Math.max;

/**
 * A ledger. Holds entries.
 *
 * @param <T> what it holds
 */
@Entity(name = "ledger", value = {"a", "b"})
public final class Ledger<T extends Comparable<? super T>> extends Base implements Iterable<T>, Closeable {
    public static final int MOST = 10;
    private final Map<String, List<T>> entries = new HashMap<>() {{ put("}", null); }};
    int a, b = 2;

    static {
        System.loadLibrary("x");
    }

    /** Makes one. */
    @Inject
    public Ledger(@Named("x") String name, int... sizes) {
        this.name = name;
    }

    @Override
    public <R> R fold(R start, BiFunction<? super R, T, R> f) throws IOException, BadException {
        Runnable r = () -> { int x = 1; };
        return start;
    }

    // 잔액을 돌려준다.
    protected abstract long 잔액();

    private static String text() {
        return """
            { "a" }
            """;
    }

    enum Kind implements Named {
        /** Money in. */
        IN(1) { void f() {} },
        OUT(-1);

        private final int sign;

        Kind(int sign) { this.sign = sign; }
    }

    interface Visitor<R> {
        R visit(Ledger<?> ledger);
        default void done() {}
    }

    public record Point(int x, int y) {
        public Point { if (x < 0) throw new IllegalArgumentException(); }
    }
}

@interface Named { String value() default "{"; }
