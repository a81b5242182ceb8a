// Prices a day's orders against a table of exchange rates.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <vector>

struct Clock {
  using time_point = double;
  static double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
  }
};
static double since(Clock::time_point t) { return Clock::now() - t; }

struct Order {
  std::string from, to;
  double amount;
  int lot;
};

using Rates = std::map<std::string, double>;

Rates load_rates(int n) {
  Rates r;
  for (int i = 0; i < n; ++i) r["CUR/" + std::to_string(i * 7919 % n) + "-spot"] = 0.5 + (i % 97) / 50.0;
  return r;
}

std::vector<Order> make_orders(int n, int currencies) {
  std::mt19937 g(7);
  std::vector<Order> v;
  v.reserve(n);
  for (int i = 0; i < n; ++i) {
    Order o;
    o.from = "CUR/" + std::to_string(g() % currencies) + "-spot";
    o.to = "CUR/" + std::to_string(g() % currencies) + "-spot";
    o.amount = g() % 10000 / 100.0;
    o.lot = g() % 40;
    v.push_back(o);
  }
  return v;
}

double convert(Rates rates, const Order& o) {  // FAULT container-copies
  auto a = rates.find(o.from), b = rates.find(o.to);
  return a == rates.end() || b == rates.end() ? 0 : o.amount * a->second / b->second;
}

double risk(const std::vector<Order>& book) {
  double total = 0;
  for (int scenario = 0; scenario < 24; ++scenario) {
    double x = 1.0 + scenario * 1e-3;
    for (auto& o : book) {
      double v = o.amount;
      for (int k = 0; k < 200; ++k) v = v * x - (v * v) * 1e-7 + o.lot;
      total += v > 1e6 ? 1e6 : v;
    }
  }
  return total;
}

int main() {
  Rates rates = load_rates(900);
  auto book = make_orders(50000, 900);
  double cost = 0, sum = 0;
  for (auto& o : book) {
    auto t = Clock::now();
    sum += convert(rates, o);  // FAULT container-copies
    cost += since(t);
  }
  std::sort(book.begin(), book.end(), [](const Order& a, const Order& b) { return a.amount < b.amount; });
  double r = risk(book);
  printf("sum %.2f risk %.3g\n", sum, r);
  printf("truth %.3f\n", cost);
}
