// Routes price ticks.
//
// What is wrong: ConcurrentLinkedQueue.size() walks along the whole queue, for each tick that is offered.
// First screen should say: Backlog.offer asks the queue for its size, which is walked from end to end, 1.9 s.
// Mend: count in an AtomicInteger.
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** Routes price ticks from two feeds through a bounded backlog to the book keeper. */
class QueueGateway {

    record Tick(int feed, int instrument, long sequence, double price, int volume) {}

    /** Backlog between the feeds and the book keeper; drops the oldest ticks at the limit. */
    static final class Backlog {
        private final Queue<Tick> ticks = new ConcurrentLinkedQueue<>();
        private final int limit;
        private long dropped;
        private long spent;

        Backlog(int limit) {
            this.limit = limit;
        }

        void offer(Tick tick) {
            long began = System.nanoTime();
            boolean full = ticks.size() >= limit;  // FAULT java-queue-sizes
            spent += System.nanoTime() - began;
            while (full) {
                if (ticks.poll() != null) {
                    dropped++;
                }
                full = ticks.size() >= limit;
            }
            ticks.add(tick);
        }

        Tick next() {
            return ticks.poll();
        }

        long dropped() {
            return dropped;
        }
    }

    /** Last prices and moving statistics per instrument. */
    static final class Book {
        private static final int DEPTH = 64;
        private final Map<Integer, double[]> recent = new HashMap<>();
        private final Map<Integer, Integer> filled = new HashMap<>();
        private final TreeMap<Integer, Double> turnover = new TreeMap<>();
        private double signal;

        void apply(Tick tick) {
            double[] prices = recent.computeIfAbsent(tick.instrument(), k -> new double[DEPTH]);
            int position = filled.merge(tick.instrument(), 1, Integer::sum) - 1;
            prices[position % DEPTH] = tick.price();
            int used = Math.min(position + 1, DEPTH);
            double mean = 0;
            for (int i = 0; i < used; i++) {
                mean += prices[i];
            }
            mean /= used;
            double variance = 0;
            for (int i = 0; i < used; i++) {
                double delta = prices[i] - mean;
                variance += delta * delta;
            }
            double deviation = Math.sqrt(variance / used);
            if (deviation > 0) {
                signal += Math.tanh((tick.price() - mean) / deviation);
            }
            turnover.merge(tick.instrument(), tick.price() * tick.volume(), Double::sum);
        }

        double signal() {
            return signal;
        }

        List<Integer> leaders(int count) {
            List<Map.Entry<Integer, Double>> entries = new ArrayList<>(turnover.entrySet());
            entries.sort(Map.Entry.<Integer, Double>comparingByValue().reversed());
            List<Integer> result = new ArrayList<>();
            for (Map.Entry<Integer, Double> entry : entries.subList(0, count)) {
                result.add(entry.getKey());
            }
            return result;
        }
    }

    static final class Feed implements Runnable {
        private final int number;
        private final int bursts;
        private final Backlog backlog;
        private final Book book;
        private final CountDownLatch finished;

        Feed(int number, int bursts, Backlog backlog, Book book, CountDownLatch finished) {
            this.number = number;
            this.bursts = bursts;
            this.backlog = backlog;
            this.book = book;
            this.finished = finished;
        }

        @Override
        public void run() {
            SplittableRandom random = new SplittableRandom(77 + number);
            double[] level = new double[400];
            java.util.Arrays.fill(level, 100);
            long sequence = 0;
            for (int burst = 0; burst < bursts; burst++) {
                int size = 500 + random.nextInt(1400);
                for (int i = 0; i < size; i++) {
                    int instrument = random.nextInt(level.length);
                    level[instrument] *= 1 + (random.nextDouble() - 0.5) * 0.002;
                    backlog.offer(new Tick(number, instrument, sequence++,
                            level[instrument], 1 + random.nextInt(90)));
                }
                for (Tick tick = backlog.next(); tick != null; tick = backlog.next()) {
                    book.apply(tick);
                }
            }
            finished.countDown();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int feeds = 2;
        CountDownLatch finished = new CountDownLatch(feeds);
        List<Backlog> backlogs = new ArrayList<>();
        List<Book> books = new ArrayList<>();
        for (int number = 0; number < feeds; number++) {
            backlogs.add(new Backlog(1700));
            books.add(new Book());
            new Thread(new Feed(number, 1900, backlogs.get(number), books.get(number), finished),
                    "feed-" + number).start();
        }
        finished.await();
        // By two threads at once.
        System.out.printf("truth %.3f%n", (backlogs.get(0).spent + backlogs.get(1).spent) / 2e9);
        for (int number = 0; number < feeds; number++) {
            System.out.printf("feed %d: dropped %d, signal %.3f, leaders %s%n", number,
                    backlogs.get(number).dropped(), books.get(number).signal(),
                    books.get(number).leaders(3));
        }
    }
}
