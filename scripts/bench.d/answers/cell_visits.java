// Cell visits: counts how often a walk comes to each cell of a grid.
//
// What is wrong: the hash of a cell is x + y, which is the same for all cells of a diagonal: the map keeps hundreds of
// keys in one place, as a tree.
// First screen should say: many keys of a map have the same hash, at the line marked FAULT.
// Mend: 31 * x + y.
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

class CellVisits {
  static long inCount;

  static final class Cell {
    final int x, y;

    Cell(int x, int y) {
      this.x = x;
      this.y = y;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Cell c && c.x == x && c.y == y;
    }

    @Override
    public int hashCode() {
      return x + y;
    }
  }

  static Map<Cell, Integer> visits(Random random, int steps) {
    Map<Cell, Integer> counts = new HashMap<>();
    for (int i = 0; i < steps; i++) {
      Cell cell = new Cell(random.nextInt(300), random.nextInt(300));
      long began = System.nanoTime();
      counts.merge(cell, 1, Integer::sum); // FAULT java-equal-hashes
      inCount += System.nanoTime() - began;
    }
    return counts;
  }

  public static void main(String[] arguments) {
    Random random = new Random(9);
    int size = 0;
    for (int walk = 0; walk < 6; walk++) size += visits(random, 150_000).size();
    System.out.println(size);
    System.out.printf(Locale.ROOT, "truth %.3f%n", inCount / 1e9);
  }
}
