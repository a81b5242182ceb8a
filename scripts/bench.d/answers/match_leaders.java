// Match leaders: scores come in, and after each one the best ten are shown.
//
// What is wrong: the whole list is sorted again after each score, of which one has changed.
// First screen should say: a list is sorted again and again, at the line marked FAULT, some 1.5 s.
// Mend: a TreeSet that is kept in order.
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;

class MatchLeaders {
  static final class Player {
    final int number;
    int score;

    Player(int number, int score) {
      this.number = number;
      this.score = score;
    }
  }

  static final Comparator<Player> BEST_FIRST =
      Comparator.comparingInt((Player player) -> -player.score).thenComparingInt(player -> player.number);

  private final List<Player> players = new ArrayList<>();
  private final List<Player> byNumber = new ArrayList<>();
  private long sorting;

  MatchLeaders(int count, Random random) {
    for (int n = 0; n < count; n++) {
      Player player = new Player(n, random.nextInt(1000));
      players.add(player);
      byNumber.add(player);
    }
  }

  void add(int number, int points) {
    byNumber.get(number).score += points;
    long began = System.nanoTime();
    players.sort(BEST_FIRST); // FAULT java-sorts
    sorting += System.nanoTime() - began;
  }

  String best(int count) {
    StringBuilder text = new StringBuilder();
    for (Player player : players.subList(0, count)) {
      text.append(String.format(Locale.ROOT, "%d: %d  ", player.number, player.score));
    }
    return text.toString();
  }

  public static void main(String[] arguments) {
    Random random = new Random(3);
    MatchLeaders leaders = new MatchLeaders(6000, random);
    int length = 0;
    for (int i = 0; i < 12000; i++) {
      leaders.add(random.nextInt(6000), random.nextInt(60));
      length += leaders.best(10).length();
    }
    System.out.println(leaders.best(3) + length);
    System.out.printf(Locale.ROOT, "truth %.3f%n", leaders.sorting / 1e9);
  }
}
