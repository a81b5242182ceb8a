// Smooth series: the moving average of measured values.
//
// What is wrong: the values are kept in a LinkedList, and get(k) walks to each position from the nearer end.
// First screen should say: a linked list is walked to each position, at the line marked FAULT.
// Mend: an ArrayList.
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

class SmoothSeries {
  static double[] smooth(List<Double> values, int width) {
    double[] out = new double[values.size()];
    for (int i = 0; i < out.length; i++) {
      double sum = 0;
      int first = Math.max(0, i - width), end = Math.min(out.length, i + width);
      for (int k = first; k < end; k++) sum += values.get(k); // FAULT java-list-positions
      out[i] = sum / (end - first);
    }
    return out;
  }

  public static void main(String[] arguments) {
    Random random = new Random(2);
    List<Double> values = new LinkedList<>();
    for (int i = 0; i < 14_000; i++) values.add(random.nextDouble());
    long began = System.nanoTime();
    double[] smoothed = smooth(values, 12);
    double took = (System.nanoTime() - began) / 1e9;
    double spread = 0;
    for (int k = 0; k < 30_000; k++)
      for (int i = 1; i < smoothed.length; i++) spread += Math.abs(smoothed[i] - smoothed[i - 1]);
    System.out.println(spread);
    System.out.printf(Locale.ROOT, "truth %.3f%n", took);
  }
}
