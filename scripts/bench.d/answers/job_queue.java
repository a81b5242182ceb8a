// Job queue: takes jobs in their order, some of which put another one at the end.
//
// What is wrong: take() takes the first element out of an ArrayList, which moves all others.
// First screen should say: all elements of a list are moved for each that goes, at the line marked FAULT.
// Mend: an ArrayDeque.
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

class JobQueue {
  static long inTake;

  record Job(int id, int weight) {}

  static class Queue {
    private final List<Job> jobs = new ArrayList<>();

    void put(Job job) {
      jobs.add(job);
    }

    Job take() {
      return jobs.isEmpty() ? null : jobs.remove(0); // FAULT java-list-shifts
    }
  }

  static long work(Job job) {
    long x = job.id();
    for (int i = 0; i < job.weight() * 20; i++) x = x * 31 + i;
    return x;
  }

  public static void main(String[] arguments) {
    Random random = new Random(3);
    Queue queue = new Queue();
    for (int i = 0; i < 250_000; i++) queue.put(new Job(i, random.nextInt(100)));
    long sum = 0;
    while (true) {
      long began = System.nanoTime();
      Job job = queue.take();
      inTake += System.nanoTime() - began;
      if (job == null) break;
      sum += work(job);
      if (job.weight() > 97 && job.id() < 1_000_000) queue.put(new Job(job.id() + 1_000_000, job.weight()));
    }
    System.out.println(sum);
    System.out.printf(Locale.ROOT, "truth %.3f%n", inTake / 1e9);
  }
}
