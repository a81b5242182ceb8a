// Read cells: adds up the numbers of a table in which many cells are "n/a".
//
// What is wrong: number() leaves it to Integer.parseInt whether a text is a number: it throws for two of three cells,
// and each exception is made with the stack of its place.
// First screen should say: exceptions are made again and again, at one of the lines marked FAULT.
// Mend: look at the first character.
import java.util.Locale;
import java.util.Random;

class ReadCells {
  static long inThrown;

  static int number(String text, int otherwise) {
    long began = System.nanoTime();
    try {
      return Integer.parseInt(text); // FAULT java-exceptions
    } catch (NumberFormatException e) { // FAULT java-exceptions
      inThrown += System.nanoTime() - began;
      return otherwise;
    }
  }

  static int row(String[] cells, int depth) {
    if (depth > 0) return row(cells, depth - 1);
    int sum = 0;
    for (String cell : cells) sum += number(cell, 0);
    return sum;
  }

  public static void main(String[] arguments) {
    Random random = new Random(6);
    long sum = 0;
    for (int r = 0; r < 70; r++) {
      String[] cells = new String[20_000];
      for (int i = 0; i < cells.length; i++)
        cells[i] = random.nextInt(3) > 0 ? "n/a" : Integer.toString(random.nextInt(1000));
      sum += row(cells, 20);
    }
    System.out.println(sum);
    System.out.printf(Locale.ROOT, "truth %.3f%n", inThrown / 1e9);
  }
}
