// Visit profiles: pages that visitors of a shop look at, as they come; for each visit the favourite shelf is told.
//
// What is wrong: the profile of each visit is kept when the visit is over, the last 900,000 of them, and none is asked
// for again. Each lives long enough to be copied by the collector, and dies when it is old.
// First screen should say: Java's garbage collector takes much of the time, with the lines that make a profile.
// Mend: forget the visit when it is over.
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

class VisitProfiles {
  private static final int VISITS = 2_600_000;
  private static final int KEPT = 900_000;
  private static final int SHELVES = 40;

  static final class Profile {
    final List<Integer> pages = new ArrayList<>(); // FAULT java-collector
    final Map<Integer, Integer> shelves = new HashMap<>(); // FAULT java-collector

    void look(int page) {
      pages.add(page); // FAULT java-collector
      shelves.merge(page % SHELVES, 1, Integer::sum); // FAULT java-collector
    }

    int favourite() {
      int best = -1;
      int most = 0;
      for (Map.Entry<Integer, Integer> each : shelves.entrySet()) {
        if (each.getValue() > most) {
          best = each.getKey();
          most = each.getValue();
        }
      }
      return best;
    }
  }

  private final Map<Long, Profile> kept = new LinkedHashMap<>() {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, Profile> eldest) {
      return size() > KEPT;
    }
  };

  int visit(long number, Random random) {
    Profile profile = new Profile(); // FAULT java-collector
    for (int i = 3 + random.nextInt(5); i > 0; i--) profile.look(random.nextInt(9000)); // FAULT java-collector
    kept.put(number, profile); // FAULT java-collector
    return profile.favourite();
  }

  static long collected() {
    long out = 0;
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) out += bean.getCollectionTime();
    return out;
  }

  public static void main(String[] arguments) {
    VisitProfiles profiles = new VisitProfiles();
    Random random = new Random(9);
    long sum = 0;
    for (long number = 0; number < VISITS; number++) sum += profiles.visit(number, random);
    System.out.println(sum);
    System.out.printf(Locale.ROOT, "truth %.3f%n", collected() / 1e3);
  }
}
