// Blocked orders: goes through the orders of some days and adds up those of customers that may be served.
//
// What is wrong: Blocked.has asks a list of some thousand names whether it contains one; for each order the list is
// compared from its beginning.
// First screen should say: lists are searched again and again, at the line marked FAULT.
// Mend: a HashSet beside the list.
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;

class BlockedOrders {
  static long inCheck;

  record Order(int id, String customer, long cents) {}

  static class Blocked {
    private final List<String> names = new ArrayList<>();

    void add(String name) {
      if (!names.contains(name)) names.add(name);
    }

    boolean has(String name) {
      return names.contains(name); // FAULT java-list-searches
    }
  }

  static String customer(Random random) {
    return "customer-" + (100_000 + random.nextInt(60_000));
  }

  static List<Order> day(Random random, int count) {
    List<Order> orders = new ArrayList<>(count);
    for (int i = 0; i < count; i++) orders.add(new Order(i, customer(random), random.nextInt(90_000)));
    orders.sort(Comparator.comparing(Order::customer));
    return orders;
  }

  static long released(List<Order> orders, Blocked blocked) {
    long sum = 0;
    for (Order order : orders) {
      long began = System.nanoTime();
      boolean has = blocked.has(order.customer());
      inCheck += System.nanoTime() - began;
      if (!has) sum += order.cents();
    }
    return sum;
  }

  public static void main(String[] arguments) {
    Random random = new Random(11);
    Blocked blocked = new Blocked();
    for (int i = 0; i < 4_000; i++) blocked.add(customer(random));
    long sum = 0;
    for (int day = 0; day < 8; day++) sum += released(day(random, 30_000), blocked);
    System.out.println(sum);
    System.out.printf(Locale.ROOT, "truth %.3f%n", inCheck / 1e9);
  }
}
