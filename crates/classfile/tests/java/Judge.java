import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Loads and links every class file of a folder and prints what this JVM says of each. */
public final class Judge {
    static final class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    public static void main(String[] args) throws IOException {
        List<Path> files;
        try (Stream<Path> listing = Files.list(Path.of(args[0]))) {
            files = listing.sorted().collect(Collectors.toList());
        }
        StringBuilder verdicts = new StringBuilder();
        for (Path file : files) {
            verdicts.append(file.getFileName()).append('\t').append(judge(Files.readAllBytes(file))).append('\n');
        }
        Files.write(Path.of(args[1]), verdicts.toString().getBytes(StandardCharsets.UTF_8));
    }

    static String judge(byte[] bytes) {
        Class<?> loaded;
        try {
            loaded = new Loader().define(bytes);
        } catch (Throwable refused) {
            return describe(refused);
        }
        try {
            // Asking for the methods links the class, which verifies it, but does not run it.
            loaded.getDeclaredMethods();
            return "accepted\t";
        } catch (Throwable refused) {
            return describe(refused);
        }
    }

    static String describe(Throwable refused) {
        String message = String.valueOf(refused.getMessage());
        return refused.getClass().getName() + '\t' + message.lines().findFirst().orElse("").replace('\t', ' ');
    }
}
