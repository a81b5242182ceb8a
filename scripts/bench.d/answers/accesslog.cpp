// Reads a web server's access log and reports traffic per route and per client.
//
// What is wrong: parse_line() builds its std::regex anew for each line; compiling
// the pattern takes longer than matching it.
// First screen should say: the constructor of std::regex in parse_line (called
// per line, std::__detail::_Compiler below it) takes N seconds; same pattern each time.
// Mend: static const std::regex (compile once).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

using Clock = std::chrono::steady_clock;
static double spent = 0;

struct Hit {
    std::string client, verb, path;
    int status = 0;
    long bytes = 0;
};

static std::string make_log(int n) {
    std::mt19937 g(7);
    const char *routes[] = {"/api/items/", "/static/app.js?v=", "/login?next=", "/img/"};
    std::ostringstream out;
    for (int i = 0; i < n; ++i) {
        out << "10.0." << g() % 40 << '.' << g() % 200 << " - - [12/Mar/2024:10:" << g() % 60 << ":11] \""
            << (g() % 5 ? "GET " : "POST ") << routes[g() % 4] << g() % 5000 << " HTTP/1.1\" "
            << (g() % 4 ? 200 : 404) << ' ' << g() % 90000 << '\n';
    }
    return out.str();
}

static bool parse_line(const std::string &line, Hit &hit) {
    auto t0 = Clock::now();
    const std::regex pattern("^(\\S+) \\S+ \\S+ \\[[^\\]]+\\] \"([A-Z]+) ([^ ?]+)\\S* HTTP/[0-9.]+\" (\\d{3}) (\\d+)$");  // FAULT regular-expressions
    spent += std::chrono::duration<double>(Clock::now() - t0).count();
    std::smatch m;
    if (!std::regex_match(line, m, pattern)) return false;
    hit.client = m[1];
    hit.verb = m[2];
    hit.path = m[3];
    hit.status = std::stoi(m[4]);
    hit.bytes = std::stol(m[5]);
    return true;
}

static int distance(const std::string &a, const std::string &b) {
    std::vector<int> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        int corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            int up = row[j];
            row[j] = std::min({up + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1])});
            corner = up;
        }
    }
    return row[b.size()];
}

class Report {
    std::vector<std::string> missing;
    std::map<std::string, std::vector<long>> by_route;
    std::map<std::string, long> by_client;
    int errors = 0;

  public:
    void add(const Hit &h) {
        auto cut = h.path.find('/', 1);
        by_route[h.verb + " " + h.path.substr(0, cut)].push_back(h.bytes);
        by_client[h.client] += h.bytes;
        errors += h.status >= 400;
        if (h.status == 404) missing.push_back(h.path);
    }
    void print() {
        long near = 0;
        for (size_t i = 0; i < missing.size(); ++i)
            for (size_t j = 0; j < i; ++j) near += distance(missing[i], missing[j]) <= 2;
        std::cout << near << " pairs of missing paths differ by a typing slip\n";
        for (auto &[route, sizes] : by_route) {
            auto mid = sizes.begin() + sizes.size() / 2;
            std::nth_element(sizes.begin(), mid, sizes.end());
            std::cout << route << ' ' << sizes.size() << " hits, median " << *mid << '\n';
        }
        std::cout << by_client.size() << " clients, " << errors << " errors\n";
    }
};

int main() {
    std::istringstream log(make_log(12000));
    std::string line;
    Report report;
    Hit hit;
    int bad = 0;
    while (std::getline(log, line)) {
        if (parse_line(line, hit)) report.add(hit);
        else ++bad;
    }
    report.print();
    std::printf("bad %d\ntruth %.3f\n", bad, spent);
}
