// Makes classes of one shape, with names of one length, one after the other, and drops each; knows what each took.
// usage: Replaced CLASSES
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

public class Replaced {
  public static int sum;

  public static class Gen_AAAA implements Runnable {
    public Gen_AAAA() {}

    public void run() {
      int x = 1;
      for (int i = 0; i < 1_000_000; i++) x = x * 31 + i;
      sum += x;
    }
  }

  static byte[] named(byte[] template, String name) {
    byte[] from = "Gen_AAAA".getBytes(StandardCharsets.US_ASCII), to = name.getBytes(StandardCharsets.US_ASCII);
    byte[] out = template.clone();
    for (int i = 0; i + from.length <= out.length; i++) {
      boolean is = true;
      for (int k = 0; is && k < from.length; k++) is = out[i + k] == from[k];
      if (is) System.arraycopy(to, 0, out, i, to.length);
    }
    return out;
  }

  static void once(byte[] template, String name) throws Exception {
    ClassLoader loader = new ClassLoader(Replaced.class.getClassLoader()) {
      @Override protected Class<?> findClass(String wanted) {
        byte[] bytes = named(template, name);
        return defineClass(wanted, bytes, 0, bytes.length);
      }
    };
    ((Runnable) loader.loadClass("Replaced$" + name).getDeclaredConstructor().newInstance()).run();
  }

  public static void main(String[] arguments) throws Exception {
    byte[] template;
    try (InputStream in = Replaced.class.getResourceAsStream("Replaced$Gen_AAAA.class")) {
      template = in.readAllBytes();
    }
    var threads = ManagementFactory.getThreadMXBean();
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
      String name = String.format("Gen_%04d", i);
      long began = threads.getCurrentThreadCpuTime();
      once(template, name);
      long ns = threads.getCurrentThreadCpuTime() - began;
      out.append(String.format(Locale.ROOT, "Replaced$%s %.1f%n", name, ns / 1e6));
      System.gc();
    }
    System.out.print(out);
  }
}
