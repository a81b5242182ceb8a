// Page rows: makes tables of a web page, row by row, and a checksum of each.
//
// What is wrong: page() adds each row to the text of the page by +=, which copies all of it.
// First screen should say: a text is copied whole for each piece that is added, at the line marked FAULT.
// Mend: a StringBuilder.
import java.util.Locale;
import java.util.Random;

class PageRows {
  static long inJoin;

  static String row(Random random) {
    return "<tr><td>" + random.nextInt(1000) + "</td><td>" + random.nextInt(1000) + "</td></tr>\n";
  }

  static String page(Random random, int rows) {
    String text = "<table>\n";
    for (int i = 0; i < rows; i++) {
      String row = row(random);
      long began = System.nanoTime();
      text += row; // FAULT java-string-sums
      inJoin += System.nanoTime() - began;
    }
    return text + "</table>\n";
  }

  static long checksum(String text) {
    long sum = 0;
    for (int k = 0; k < 40; k++)
      for (int i = 0; i < text.length(); i++) sum = sum * 31 + text.charAt(i);
    return sum;
  }

  public static void main(String[] arguments) {
    Random random = new Random(1);
    long sum = 0;
    for (int page = 0; page < 10; page++) sum += checksum(page(random, 9_000));
    System.out.println(sum);
    System.out.printf(Locale.ROOT, "truth %.3f%n", inJoin / 1e9);
  }
}
