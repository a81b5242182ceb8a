// Spends its time in methods whose shares are known, also in a class that is dropped meanwhile.
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

public class Shares {
  static long spin(long n) {
    long x = n | 1;
    for (long i = 0; i < n; i++) {
      x ^= x << 13;
      x ^= x >>> 7;
      x ^= x << 17;
    }
    return x;
  }

  static long first(long n) {
    return spin(3 * n) + 1;
  }

  static long second(long n) {
    return spin(2 * n) + 2;
  }

  static class Point {
    final long x;

    Point(long n) {
      x = spin(n);
    }
  }

  static long dropped(String folder, long n) throws Exception {
    long sum = 0;
    try (URLClassLoader loader = new URLClassLoader(new URL[] {new File(folder).toURI().toURL()}, null)) {
      sum += (Long) loader.loadClass("Dropped").getMethod("turns", long.class).invoke(null, n);
    }
    return sum;
  }

  public static void main(String[] arguments) throws Exception {
    long sum = 0;
    for (int i = 0; i < 24_000; i++) {
      sum += first(5_000) + second(5_000);
    }
    for (int i = 0; i < 20_000; i++) sum += new Point(5_000).x;
    for (int i = 0; i < 10; i++) {
      sum += dropped(arguments[0], 10_000_000);
      System.gc();
    }
    for (int i = 0; i < 20_000; i++) sum += first(1_666);
    System.out.println(Thread.currentThread() + " " + sum);
    System.err.println("done");
  }
}
