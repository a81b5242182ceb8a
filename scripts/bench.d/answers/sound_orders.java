// Sound orders: the like of the programs with faults, done as one should: sets for what is looked up, a deque for what
// waits, a builder for texts, patterns that are compiled once, keys whose hashes spread.
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;

class SoundOrders {
  static final Pattern LINE = Pattern.compile("order ([0-9]+) of (\\S+): ([0-9]+) cents");

  record Key(String customer, int month) {}

  static String text(Random random, int orders) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < orders; i++)
      out.append("order ").append(i).append(" of customer-").append(random.nextInt(5_000)).append(": ")
          .append(random.nextInt(90_000)).append(" cents\n");
    return out.toString();
  }

  public static void main(String[] arguments) {
    Random random = new Random(4);
    Set<String> blocked = new HashSet<>();
    for (int i = 0; i < 400; i++) blocked.add("customer-" + random.nextInt(5_000));
    Map<Key, Long> sums = new HashMap<>();
    ArrayDeque<String> waiting = new ArrayDeque<>();
    List<Integer> sizes = new ArrayList<>();
    for (int month = 0; month < 24; month++) {
      for (String line : text(random, 50_000).split("\n")) waiting.add(line);
      while (!waiting.isEmpty()) {
        var matcher = LINE.matcher(waiting.removeFirst());
        if (!matcher.matches() || blocked.contains(matcher.group(2))) continue;
        sums.merge(new Key(matcher.group(2), month % 12), Long.parseLong(matcher.group(3)), Long::sum);
      }
      sizes.add(sums.size());
    }
    System.out.println(sizes);
  }
}
