// A class that Shares loads again and again.
public class Dropped {
  public static long turns(long n) {
    long x = n | 1;
    for (long i = 0; i < n; i++) {
      x ^= x << 13;
      x ^= x >>> 7;
      x ^= x << 17;
    }
    return x;
  }
}
