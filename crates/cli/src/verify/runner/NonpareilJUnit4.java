import java.util.*;
import org.junit.runner.*;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.*;

/** Lets JUnit 4 run tests in the order that they are named in. */
final class NonpareilJUnit4 implements NonpareilRunner.Way {
    @Override
    public Throwable run(Class<?> type, List<String> methods, NonpareilRunner.Watch watch) {
        Set<String> wanted = new HashSet<>(methods);
        Filter filter = new Filter() {
            @Override
            public boolean shouldRun(Description test) {
                return !test.isTest() || wanted.contains(method(test));
            }

            @Override
            public String describe() {
                return "the tests that are wanted";
            }
        };
        Throwable[] thrown = {null};
        Throwable[] around = {null};
        boolean[] runs = {false};
        JUnitCore core = new JUnitCore();
        core.addListener(new RunListener() {
            @Override
            public void testStarted(Description test) {
                runs[0] = true;
                thrown[0] = null;
                watch.begin(method(test));
            }

            @Override
            public void testFailure(Failure failure) {
                (runs[0] ? thrown : around)[0] = failure.getException();
            }

            @Override
            public void testFinished(Description test) {
                runs[0] = false;
                watch.end(thrown[0]);
            }
        });
        core.run(Request.aClass(type).filterWith(filter)
            .sortWith(Comparator.comparing(test -> NonpareilRunner.place(method(test)))));
        return around[0];
    }

    /** The method of a test that is shown as `method(class)`. */
    private static String method(Description test) {
        return test.getDisplayName().split("\\(")[0];
    }
}
