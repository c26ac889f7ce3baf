import java.lang.reflect.*;
import java.util.*;

public final class NonpareilRunner {
    /** Runs tests of a class one after the other; gives what was thrown before or behind them, or null. */
    interface Way {
        Throwable run(Class<?> type, List<String> methods, Watch watch) throws Throwable;
    }

    /** Where the methods that run now are in their order. */
    private static final Map<String, Integer> places = new HashMap<>();

    static int place(String method) {
        return places.getOrDefault(method, 0);
    }

    public static void main(String[] arguments) throws Throwable {
        java.io.PrintStream out = System.out;
        System.setOut(new java.io.PrintStream(java.io.OutputStream.nullOutputStream()));
        System.setErr(new java.io.PrintStream(java.io.OutputStream.nullOutputStream()));
        Watch watch = new Watch(out, Long.parseLong(arguments[2]));
        watch.setDaemon(true);
        watch.start();
        Way way = null;
        List<String> tests = java.nio.file.Files.readAllLines(java.nio.file.Path.of(arguments[1]));
        int next = 0;
        while (next < tests.size()) {
            // As many as are of the same class, each of them once.
            String name = tests.get(next).split("#")[0];
            List<String> methods = new ArrayList<>();
            places.clear();
            while (next < tests.size() && tests.get(next).startsWith(name + "#")) {
                String method = tests.get(next).substring(name.length() + 1);
                if (places.putIfAbsent(method, methods.size()) != null) {
                    break;
                }
                methods.add(method);
                next++;
            }
            Class<?> type = Class.forName(name);
            if (way == null) {
                way = way(arguments[0], type, methods.get(0));
            }
            watch.expect(name, methods);
            try {
                watch.finish(way.run(type, methods, watch));
            } catch (Throwable unrecoverable) {
                // JUnit gives up where memory ran out, and says no more of that test.
                boolean isWrapped = unrecoverable instanceof InvocationTargetException;
                watch.giveUp(isWrapped ? unrecoverable.getCause() : unrecoverable);
                break;
            }
        }
        Runtime.getRuntime().halt(0);
    }

    /** Says how tests begin and end, and ends the JVM where one takes too long. */
    static final class Watch extends Thread {
        private final java.io.PrintStream out;
        private final long nanos;
        private String type;
        private Set<String> left;
        private String method;
        private long begun;

        Watch(java.io.PrintStream out, long seconds) {
            this.out = out;
            nanos = seconds * 1_000_000_000L;
        }

        /** These are going to run. */
        synchronized void expect(String ofType, List<String> methods) {
            type = ofType;
            left = new LinkedHashSet<>(methods);
        }

        synchronized void begin(String name) {
            method = name;
            begun = System.nanoTime();
            say("begins");
        }

        synchronized void end(Throwable thrown) {
            left.remove(method);
            say(thrown == null ? "passed" : "failed " + text(thrown));
            method = null;
        }

        /** Nothing more is going to run here. */
        synchronized void giveUp(Throwable thrown) {
            if (method != null) {
                end(thrown);
            }
        }

        /** No more of those that were expected are going to run. */
        synchronized void finish(Throwable thrown) {
            for (String name : new ArrayList<>(left)) {
                begin(name);
                end(thrown == null ? new IllegalStateException("JUnit does not find it") : thrown);
            }
        }

        private void say(String what) {
            out.println(type + "#" + method + "\t" + what);
            out.flush();
        }

        private static String text(Throwable thrown) {
            String text;
            try {
                text = String.valueOf(thrown);
            } catch (Throwable another) {
                text = thrown.getClass().getName();
            }
            return text.replace('\n', ' ').replace('\r', ' ');
        }

        @Override
        public void run() {
            while (true) {
                synchronized (this) {
                    if (method != null && System.nanoTime() - begun > nanos) {
                        say("stands still");
                        Runtime.getRuntime().halt(0);
                    }
                }
                try {
                    Thread.sleep(100);
                } catch (InterruptedException nobodyAsks) {
                    // It goes on watching.
                }
            }
        }
    }

    /** JUnit, if all of it is here and fits together, so that it finds a first test. */
    static Way way(String framework, Class<?> type, String method) throws Throwable {
        try {
            switch (framework) {
                case "platform": return platform(type, method);
                case "junit4": return (Way) Class.forName("NonpareilJUnit4").getDeclaredConstructor().newInstance();
                default: return junit3();
            }
        } catch (ReflectiveOperationException | LinkageError incomplete) {
            return NonpareilRunner::plain;
        }
    }

    static Throwable plain(Class<?> type, List<String> methods, Watch watch) throws Throwable {
        for (String name : methods) {
            Method method = type.getDeclaredMethod(name);
            method.setAccessible(true);
            watch.begin(name);
            Throwable thrown = null;
            try {
                Constructor<?> constructor = type.getDeclaredConstructor();
                constructor.setAccessible(true);
                method.invoke(constructor.newInstance());
            } catch (InvocationTargetException failure) {
                thrown = failure.getCause();
            }
            watch.end(thrown);
        }
        return null;
    }

    static Way platform(Class<?> first, String one) throws Throwable {
        Class.forName("org.junit.jupiter.engine.JupiterTestEngine");
        String api = "org.junit.platform.launcher.";
        Class<?> builders = Class.forName(api + "core.LauncherDiscoveryRequestBuilder");
        Class<?> listenerType = Class.forName(api + "TestExecutionListener");
        Method select = Class.forName("org.junit.platform.engine.discovery.DiscoverySelectors")
            .getMethod("selectMethod", Class.class, Method.class);
        Object launcher = Class.forName(api + "core.LauncherFactory").getMethod("create").invoke(null);
        Object listeners = Array.newInstance(listenerType, 1);
        Method execute = Class.forName(api + "Launcher").getMethod("execute",
            Class.forName(api + "LauncherDiscoveryRequest"), listeners.getClass());
        Method isTest = Class.forName(api + "TestIdentifier").getMethod("isTest");
        Method sourceOf = Class.forName(api + "TestIdentifier").getMethod("getSource");
        Method nameOf = Class.forName("org.junit.platform.engine.support.descriptor.MethodSource")
            .getMethod("getMethodName");
        Method thrownBy = Class.forName("org.junit.platform.engine.TestExecutionResult").getMethod("getThrowable");
        Method wanted = builders.getMethod("selectors", List.class);
        Method set = builders.getMethod("configurationParameter", String.class, String.class);
        Object probe = builders.getMethod("request").invoke(null);
        wanted.invoke(probe, List.of(select.invoke(null, first, first.getDeclaredMethod(one))));
        Object plan = Class.forName(api + "Launcher").getMethod("discover", execute.getParameterTypes()[0])
            .invoke(launcher, builders.getMethod("build").invoke(probe));
        if (!(Boolean) Class.forName(api + "TestPlan").getMethod("containsTests").invoke(plan)) {
            throw new ClassNotFoundException("an engine that finds the tests");
        }
        return (type, methods, watch) -> {
            Throwable[] around = {null};
            InvocationHandler handler = (proxy, called, values) -> {
                switch (called.getName()) {
                    case "hashCode": return 1;
                    case "equals": return proxy == values[0];
                    case "toString": return "listener";
                    case "executionStarted":
                        if ((Boolean) isTest.invoke(values[0])) {
                            Object source = ((Optional<?>) sourceOf.invoke(values[0])).get();
                            watch.begin((String) nameOf.invoke(source));
                        }
                        return null;
                    case "executionFinished":
                        Throwable failure = (Throwable) ((Optional<?>) thrownBy.invoke(values[1])).orElse(null);
                        if ((Boolean) isTest.invoke(values[0])) {
                            watch.end(failure);
                        } else if (around[0] == null) {
                            around[0] = failure;
                        }
                        return null;
                    default: return null;
                }
            };
            Array.set(listeners, 0, Proxy.newProxyInstance(listenerType.getClassLoader(),
                new Class<?>[] {listenerType}, handler));
            List<Object> selectors = new ArrayList<>();
            for (String name : methods) {
                selectors.add(select.invoke(null, type, type.getDeclaredMethod(name)));
            }
            Object builder = builders.getMethod("request").invoke(null);
            wanted.invoke(builder, selectors);
            set.invoke(builder, "junit.jupiter.execution.parallel.enabled", "false");
            set.invoke(builder, "junit.jupiter.testmethod.order.default", "NonpareilOrder");
            execute.invoke(launcher, builders.getMethod("build").invoke(builder), listeners);
            return around[0];
        };
    }

    static Way junit3() throws Throwable {
        Method create = Class.forName("junit.framework.TestSuite")
            .getMethod("createTest", Class.class, String.class);
        Class<?> results = Class.forName("junit.framework.TestResult");
        Method execute = Class.forName("junit.framework.Test").getMethod("run", results);
        Method thrownBy = Class.forName("junit.framework.TestFailure").getMethod("thrownException");
        return (type, methods, watch) -> {
            for (String method : methods) {
                watch.begin(method);
                Object result = results.getConstructor().newInstance();
                execute.invoke(create.invoke(null, type, method), result);
                Throwable thrown = null;
                for (String kind : new String[] {"failures", "errors"}) {
                    for (Object one : Collections.list((Enumeration<?>) results.getMethod(kind).invoke(result))) {
                        thrown = (Throwable) thrownBy.invoke(one);
                    }
                }
                watch.end(thrown);
            }
            return null;
        };
    }
}
