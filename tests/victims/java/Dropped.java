// A class that Shares loads again and again.
public class Dropped {
  public static long turns(long n) {
    long x = n;
    for (long i = 0; i < n; i++) x = x * 2862933555777941757L + 3037000493L;
    return x;
  }
}
