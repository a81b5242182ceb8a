// Tally votes: four threads count votes into one table.
//
// What is wrong: add() is synchronized and does the costly check of a vote inside, so that the threads take turns.
// First screen should say: threads wait for a lock that others hold, at the line marked FAULT.
// Mend: check before the lock is taken.
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

class TallyVotes {
  private final Map<Integer, Integer> counts = new HashMap<>();

  static boolean isValid(long signature) {
    long x = signature;
    for (int i = 0; i < 2_000; i++) x = x * 6364136223846793005L + 1442695040888963407L;
    return x % 1_000 != 0;
  }

  private long inside;

  synchronized void add(int choice, long signature) { // FAULT lock-contention
    long began = System.nanoTime(); // FAULT lock-contention
    if (isValid(signature)) counts.merge(choice, 1, Integer::sum); // FAULT lock-contention
    inside += System.nanoTime() - began;
  }

  public static void main(String[] arguments) throws Exception {
    TallyVotes tally = new TallyVotes();
    Thread[] threads = new Thread[4];
    for (int t = 0; t < threads.length; t++) {
      Random random = new Random(t);
      threads[t] = new Thread(() -> {
        for (int i = 0; i < 200_000; i++) tally.add(random.nextInt(12), random.nextLong());
      });
      threads[t].start();
    }
    for (Thread thread : threads) thread.join();
    System.out.println(tally.counts);
    // What two processors could have done at once.
    System.out.printf(java.util.Locale.ROOT, "truth %.3f%n", tally.inside / 2e9);
  }
}
