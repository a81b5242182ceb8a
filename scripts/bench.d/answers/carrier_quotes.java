// Asks the carriers for the rates of a list of parcels, with a pool of eight threads.
//
// What is wrong: each future is asked for its result before the next parcel is given to the pool.
// First screen should say: each result of a pool is waited for before the next piece of work is given to it, at the
// line marked FAULT.
// Mend: invokeAll(), or collect the futures first.
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class CarrierQuotes {
  record Parcel(int id, double kg, int zone) {}

  static double rate(Parcel parcel) throws InterruptedException {
    Thread.sleep(15); // the carrier's answer
    double rate = 4.2 + 0.8 * parcel.zone();
    for (int step = 1; step <= 40; step++) rate += Math.sqrt(parcel.kg() * step) / 40;
    return Math.round(rate * 100) / 100.0;
  }

  public static void main(String[] arguments) throws Exception {
    Random random = new Random(7);
    List<Parcel> parcels = new ArrayList<>();
    for (int id = 0; id < 120; id++) parcels.add(new Parcel(id, random.nextDouble() * 20, random.nextInt(8)));
    ExecutorService pool = Executors.newFixedThreadPool(8);
    double sum = 0;
    long waited = 0;
    for (Parcel parcel : parcels) {
      Callable<Double> ask = () -> rate(parcel);
      Future<Double> answer = pool.submit(ask);
      long began = System.nanoTime();
      sum += answer.get(); // FAULT results-at-once
      waited += System.nanoTime() - began;
    }
    pool.shutdown();
    System.out.printf("%d parcels, %.2f in all%n", parcels.size(), sum);
    System.out.println("truth " + waited / 1e9 * (1 - 1 / 8.0));
  }
}
