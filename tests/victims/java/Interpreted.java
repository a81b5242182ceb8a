// Spends its time on lines whose shares are known. For a VM that interprets everything (-Xint).
public class Interpreted {
  static int steps(int n) {
    int x = n;
    for (int i = 0; i < n; i++) x = x * 31 + i;
    return x;
  }

  interface Work {
    int of(int n);
  }

  // Many lines in front, so that the distance to the next one takes more than a byte.
  static int sum(Work work, int n) {
    int x =



































        work.of(n);
    x += steps(2 * n);
    return x;
  }

  public static void main(String[] arguments) {
    int x = 0;
    Work work = n -> steps(n);
    for (int i = 0; i < 2_000; i++) {
      x += sum(work, 2_000);
      x += steps(7 * 2_000);
    }
    System.out.println(x);
  }
}
