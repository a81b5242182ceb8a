// Reads a list of trips from standard input and finds the busiest stations.
//
// What is wrong: std::cin is left synchronized with C's stdio, so it has no buffer of its own and takes every character by
// getc/ungetc from stdin.
// First screen should say: most of the time is in operator>> of std::cin, character by character through
// stdio_sync_filebuf (getc, ungetc): std::ios::sync_with_stdio(false) is missing.
// Mend: std::ios::sync_with_stdio(false) at the beginning.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <vector>

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

const int kStations = 4000;
const int kTrips = 8000000;

struct Trip {
  int from, to, minutes;
};

static void write_trips(const char* path) {
  FILE* out = fopen(path, "w");
  uint32_t state = 88172645;
  for (int i = 0; i < kTrips; ++i) {
    state = state * 1664525u + 1013904223u;
    unsigned from = (state >> 8) % kStations, to = (state >> 4) % 3989, minutes = 1 + state % 97;
    fprintf(out, "%u %u %u\n", from, to, minutes);
  }
  fclose(out);
}

static std::istream& operator>>(std::istream& in, Trip& trip) {
  return in >> trip.from >> trip.to >> trip.minutes;  // FAULT synchronised-streams
}

// How long the first trips take from a stream with a buffer of its own.
static double buffered_cost(const char* path, int trips) {
  std::ifstream in(path);
  in.tie(&std::cout);
  Trip trip;
  double least = 1e9;
  for (int round = 0; round < 4; ++round) {
    double began = now();
    for (int i = 0; i < trips / 4; ++i) in >> trip;
    least = std::min(least, now() - began);
  }
  return least * 4;
}

class Network {
 public:
  Network() : leaving(kStations), arriving(kStations), minutes(kStations) {}

  void add(const Trip& trip) {
    ++leaving[trip.from];
    ++arriving[trip.to];
    minutes[trip.from] += trip.minutes;
    ++trips;
  }

  void report() const {
    std::vector<int> order(kStations);
    for (int i = 0; i < kStations; ++i) order[i] = i;
    auto busier = [this](int a, int b) {
      int left = leaving[a] + arriving[a], right = leaving[b] + arriving[b];
      return left != right ? left > right : a < b;
    };
    std::partial_sort(order.begin(), order.begin() + 5, order.end(), busier);
    std::cout << "trips " << trips << "\n";
    for (int i = 0; i < 5; ++i) {
      int station = order[i];
      std::cout << station << ": " << leaving[station] << " leave, " << arriving[station] << " arrive, "
                << minutes[station] / leaving[station] << " minutes\n";
    }
  }

 private:
  std::vector<int> leaving, arriving;
  std::vector<long> minutes;
  long trips = 0;
};

int main() {
  const char* path = "trips.txt";
  write_trips(path);
  if (!freopen(path, "r", stdin)) return 1;
  Network network;
  Trip trip;
  double began = now();
  while (std::cin >> trip) network.add(trip);
  double spent = now() - began;
  network.report();
  const int some = kTrips / 40;
  std::cout << "truth " << spent - buffered_cost(path, some) * (kTrips / some) << "\n";
}
