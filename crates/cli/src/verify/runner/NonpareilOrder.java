import java.util.Comparator;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.MethodOrdererContext;

/** Lets JUnit 5 run tests in the order that they are named in. */
public final class NonpareilOrder implements MethodOrderer {
    @Override
    public void orderMethods(MethodOrdererContext context) {
        context.getMethodDescriptors()
            .sort(Comparator.comparing(one -> NonpareilRunner.place(one.getMethod().getName())));
    }
}
