//! The program that runs single tests on the real JVM: by JUnit itself where all of it is on the class path,
//! else by reflection, which knows no timeouts.
//!
//! It is compiled along with the tests. Its arguments are the framework, a file that names the tests, one
//! `class#method` per line, and the seconds that each may take; it says how each ended, one line each. Where one
//! takes longer, it says so and ends.

use emit::junit::Framework;

/// The name of the program's class.
pub(super) const CLASS: &str = "NonpareilRunner";

/// What the program calls a framework.
pub(super) fn framework(framework: Framework) -> &'static str {
    match framework {
        Framework::JUnit3 => "junit3",
        Framework::JUnit4 | Framework::JUnit4Before13 => "junit4",
        Framework::JUnit5 => "platform",
    }
}

/// Its source.
pub(super) const SOURCE: &str = r##"
import java.lang.reflect.*;
import java.util.*;

public final class NonpareilRunner {
    /** Runs a test; gives what it threw, or null. */
    interface Way {
        Throwable run(Class<?> type, String method) throws Throwable;
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
        for (String name : tests) {
            watch.begin(name);
            String[] parts = name.split("#");
            Class<?> type = Class.forName(parts[0]);
            if (way == null) {
                way = way(arguments[0], type, parts[1]);
            }
            Throwable thrown = way.run(type, parts[1]);
            String verdict = "passed";
            if (thrown != null) {
                verdict = "failed " + String.valueOf(thrown).replace('\n', ' ').replace('\r', ' ');
            }
            watch.end(verdict);
        }
        Runtime.getRuntime().halt(0);
    }

    /** Says how tests end, and ends the JVM where one takes too long. */
    static final class Watch extends Thread {
        private final java.io.PrintStream out;
        private final long nanos;
        private String test;
        private long begun;

        Watch(java.io.PrintStream out, long seconds) {
            this.out = out;
            nanos = seconds * 1_000_000_000L;
        }

        synchronized void begin(String name) {
            test = name;
            begun = System.nanoTime();
        }

        synchronized void end(String verdict) {
            out.println(test + "\t" + verdict);
            out.flush();
            test = null;
        }

        @Override
        public void run() {
            while (true) {
                synchronized (this) {
                    if (test != null && System.nanoTime() - begun > nanos) {
                        end("stands still");
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
                case "junit4": return junit4();
                default: return junit3();
            }
        } catch (ReflectiveOperationException | LinkageError incomplete) {
            return NonpareilRunner::plain;
        }
    }

    static Throwable plain(Class<?> type, String name) throws Throwable {
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        Method method = type.getDeclaredMethod(name);
        method.setAccessible(true);
        try {
            method.invoke(constructor.newInstance());
            return null;
        } catch (InvocationTargetException failure) {
            return failure.getCause();
        }
    }

    static Way platform(Class<?> first, String one) throws Throwable {
        Class.forName("org.junit.jupiter.engine.JupiterTestEngine");
        String api = "org.junit.platform.launcher.";
        Class<?> builders = Class.forName(api + "core.LauncherDiscoveryRequestBuilder");
        Class<?> listenerType = Class.forName(api + "TestExecutionListener");
        Method select = Class.forName("org.junit.platform.engine.discovery.DiscoverySelectors")
            .getMethod("selectMethod", Class.class, String.class);
        Object launcher = Class.forName(api + "core.LauncherFactory").getMethod("create").invoke(null);
        Object listeners = Array.newInstance(listenerType, 1);
        Method execute = Class.forName(api + "Launcher").getMethod("execute",
            Class.forName(api + "LauncherDiscoveryRequest"), listeners.getClass());
        Method isTest = Class.forName(api + "TestIdentifier").getMethod("isTest");
        Method thrownBy = Class.forName("org.junit.platform.engine.TestExecutionResult").getMethod("getThrowable");
        Method wanted = builders.getMethod("selectors", List.class);
        Object probe = builders.getMethod("request").invoke(null);
        wanted.invoke(probe, List.of(select.invoke(null, first, one)));
        Object plan = Class.forName(api + "Launcher").getMethod("discover", execute.getParameterTypes()[0])
            .invoke(launcher, builders.getMethod("build").invoke(probe));
        if (!(Boolean) Class.forName(api + "TestPlan").getMethod("containsTests").invoke(plan)) {
            throw new ClassNotFoundException("an engine that finds the tests");
        }
        return (type, method) -> {
            Throwable[] thrown = {new IllegalStateException("JUnit does not find it")};
            InvocationHandler handler = (proxy, called, values) -> {
                switch (called.getName()) {
                    case "hashCode": return 1;
                    case "equals": return proxy == values[0];
                    case "toString": return "listener";
                    case "executionFinished":
                        Object failure = ((Optional<?>) thrownBy.invoke(values[1])).orElse(null);
                        if (failure != null || (Boolean) isTest.invoke(values[0])) {
                            thrown[0] = (Throwable) failure;
                        }
                        return null;
                    default: return null;
                }
            };
            Array.set(listeners, 0, Proxy.newProxyInstance(listenerType.getClassLoader(),
                new Class<?>[] {listenerType}, handler));
            Object builder = builders.getMethod("request").invoke(null);
            wanted.invoke(builder, List.of(select.invoke(null, type, method)));
            execute.invoke(launcher, builders.getMethod("build").invoke(builder), listeners);
            return thrown[0];
        };
    }

    static Way junit4() throws Throwable {
        Class<?> requests = Class.forName("org.junit.runner.Request");
        Method select = requests.getMethod("method", Class.class, String.class);
        Class<?> cores = Class.forName("org.junit.runner.JUnitCore");
        Method execute = cores.getMethod("run", requests);
        Method failures = Class.forName("org.junit.runner.Result").getMethod("getFailures");
        Method thrownBy = Class.forName("org.junit.runner.notification.Failure").getMethod("getException");
        return (type, method) -> {
            Object core = cores.getConstructor().newInstance();
            List<?> failed = (List<?>) failures.invoke(execute.invoke(core, select.invoke(null, type, method)));
            return failed.isEmpty() ? null : (Throwable) thrownBy.invoke(failed.get(0));
        };
    }

    static Way junit3() throws Throwable {
        Method create = Class.forName("junit.framework.TestSuite")
            .getMethod("createTest", Class.class, String.class);
        Class<?> results = Class.forName("junit.framework.TestResult");
        Method execute = Class.forName("junit.framework.Test").getMethod("run", results);
        Method thrownBy = Class.forName("junit.framework.TestFailure").getMethod("thrownException");
        return (type, method) -> {
            Object result = results.getConstructor().newInstance();
            execute.invoke(create.invoke(null, type, method), result);
            for (String kind : new String[] {"errors", "failures"}) {
                for (Object one : Collections.list((Enumeration<?>) results.getMethod(kind).invoke(result))) {
                    return (Throwable) thrownBy.invoke(one);
                }
            }
            return null;
        };
    }
}
"##;
