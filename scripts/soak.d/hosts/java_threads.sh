# OpenJDK: hundreds of threads, locks, garbage, a compiler at work, signals of its own for stack overflows and nulls.
cat >Work.java <<'JAVA'
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.stream.*;

class Work {
  static int deep(int n) { return deep(n + 1) + 1; }

  public static void main(String[] args) throws Exception {
    AtomicLong sum = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    Object lock = new Object();
    int[] count = {0};
    for (int t = 0; t < 1000; ++t) {
      int seed = t;
      Thread thread = new Thread(() -> {
        for (int i = 0; i < 300; ++i) {
          synchronized (lock) { ++count[0]; }
          sum.addAndGet(Integer.toString(i * seed).hashCode());
        }
      });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) thread.join();
    System.out.println("threads " + sum + " " + count[0]);
    ExecutorService pool = Executors.newFixedThreadPool(8);
    List<Future<Integer>> made = new ArrayList<>();
    for (int t = 0; t < 40; ++t) {
      int seed = t;
      made.add(pool.submit(() -> {
        Map<String, byte[]> kept = new HashMap<>();
        for (int i = 0; i < 20000; ++i) kept.put("k" + (i * seed) % 1000, new byte[200 + i % 300]);
        return kept.values().stream().mapToInt(b -> b.length).sum();
      }));
    }
    long bytes = 0;
    for (Future<Integer> one : made) bytes += one.get();
    pool.shutdown();
    System.out.println("garbage " + bytes);
    int overflows = 0, nulls = 0;
    for (int i = 0; i < 20; ++i) {
      try { deep(0); } catch (StackOverflowError e) { ++overflows; }
    }
    Object[] holes = new Object[20];
    for (int round = 0; round < 20000; ++round) {
      try { holes[round % 20].hashCode(); } catch (NullPointerException e) { ++nulls; }
    }
    System.out.println("caught " + overflows + " " + nulls);
    System.out.println("stream " + IntStream.range(0, 3000000).parallel().mapToLong(i -> (long) i * i % 1009).sum());
    for (int i = 0; i < 3; ++i) {
      Process child = new ProcessBuilder("echo", "child " + i).start();
      System.out.println(new String(child.getInputStream().readAllBytes()).trim() + " " + child.waitFor());
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("the hook ran")));
  }
}
JAVA
javac Work.java && for collector in Serial Parallel G1 Z; do
  echo "$collector"
  java -Xmx512m -XX:+Use${collector}GC Work
  echo "java ended with $?"
done
