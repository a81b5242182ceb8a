// Sound tasks: a pool of threads that computes, each task by itself, and hands its results over once.
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class SoundTasks {
  static double[] step(double[] heat) {
    double[] out = new double[heat.length];
    for (int i = 1; i + 1 < heat.length; i++) out[i] = heat[i] + 0.25 * (heat[i - 1] - 2 * heat[i] + heat[i + 1]);
    return out;
  }

  static double simulate(int seed) {
    double[] heat = new double[4_000];
    for (int i = 0; i < heat.length; i++) heat[i] = (i * 31 + seed) % 97;
    for (int k = 0; k < 12_000; k++) heat = step(heat);
    double sum = 0;
    for (double value : heat) sum += value;
    return sum;
  }

  public static void main(String[] arguments) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    List<Future<Double>> results = new ArrayList<>();
    for (int seed = 0; seed < 40; seed++) {
      int of = seed;
      results.add(pool.submit(() -> simulate(of)));
    }
    double sum = 0;
    for (Future<Double> result : results) sum += result.get();
    pool.shutdown();
    System.out.println(sum);
  }
}
