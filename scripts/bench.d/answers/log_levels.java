// Log levels: counts the slow warnings of a service's log.
//
// What is wrong: isSlow compiles its pattern anew for each of two million lines.
// First screen should say: regular expressions are compiled again and again, at the line marked FAULT.
// Mend: one Pattern for all.
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;

class LogLevels {
  static long inCompile;

  static List<String> lines(Random random, int count) {
    String[] levels = {"INFO", "WARN", "ERROR", "DEBUG"};
    List<String> out = new ArrayList<>(count);
    for (int i = 0; i < count; i++)
      out.add("2026-11-" + (1 + i % 28) + " " + levels[random.nextInt(4)] + " worker-" + random.nextInt(64) + " took "
          + random.nextInt(9000) + " ms");
    return out;
  }

  static final String SLOW = "\\S+ (WARN|ERROR) (worker|scheduler|gateway)-[0-9]+ took [0-9]{4,6} (ms|us|s)";

  static boolean isSlow(String line) {
    long began = System.nanoTime();
    Pattern pattern = Pattern.compile(SLOW); // FAULT java-patterns
    inCompile += System.nanoTime() - began;
    return pattern.matcher(line).matches();
  }

  public static void main(String[] arguments) {
    Random random = new Random(5);
    int slow = 0;
    for (int day = 0; day < 20; day++) {
      for (String line : lines(random, 100_000))
        if (isSlow(line)) slow++;
    }
    System.out.println(slow);
    System.out.printf(Locale.ROOT, "truth %.3f%n", inCompile / 1e9);
  }
}
