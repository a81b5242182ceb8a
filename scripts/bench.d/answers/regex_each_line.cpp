// Extracts latencies from service logs.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <map>
#include <regex>
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
static double all = 0, match_only = 0;

std::vector<std::string> sample(int n) {
  std::vector<std::string> v;
  for (int i = 0; i < n; ++i)
    v.push_back(std::string("2024-05-12T12:00:00 svc=") + (i % 3 ? "auth" : "cart") +
                " lat=" + std::to_string(i * 37 % 900) + "ms code=" + std::to_string(i % 11 ? 200 : 500));
  return v;
}

bool parse(const std::string& line, std::string& svc, int& ms) {
  auto t = Clock::now();
  std::regex re("svc=([a-z]+) lat=([0-9]+)ms code=(200|500|[34][0-9]{2})$");  // FAULT regular-expressions
  all += since(t);
  std::smatch m;
  if (!std::regex_search(line, m, re)) return false;
  svc = m[1];
  ms = std::stoi(m[2]);
  return true;
}

double percentile_scan(const std::vector<int>& v) {
  double acc = 0;
  for (int q = 1; q < 100; ++q) {
    long below = 0;
    for (int k = 0; k < 5000; ++k)
      for (size_t i = 0; i < v.size(); i += 16) below += v[i] < q * 9 + k % 3;
    acc += below;
  }
  return acc;
}

int main() {
  auto lines = sample(16000);
  std::map<std::string, std::vector<int>> by;
  std::vector<int> flat;
  for (auto& l : lines) {
    std::string s;
    int ms;
    if (parse(l, s, ms)) by[s].push_back(ms), flat.push_back(ms);
  }
  double p = percentile_scan(flat);
  printf("services %zu scan %.0f\n", by.size(), p);
  printf("truth %.3f\n", all);
}
