// Values a book of bond trades under many market scenarios.
//
// What is wrong: Pricer::value() takes the whole market (a std::map of curves) by
// value, so it is copied (and destroyed) for every trade.
// First screen should say: the copy of Market (std::map / vector copy constructor and
// its destructor, malloc/free below) for the by-value argument of Pricer::value,
// called in run_scenario for each trade, takes N seconds.
// Mend: const Market &.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }
static Clock::time_point entered;
static double inside = 0, outside = 0;

struct Market {
    std::map<std::string, std::vector<double>> curves;
    std::map<std::string, double> fx;
};

struct Trade {
    std::string currency;
    double notional, coupon;
    int years;
};

class Pricer {
  public:
    double value(Market market, const Trade &t) const {  // FAULT container-copies
        entered = Clock::now();
        const auto &curve = market.curves.at(t.currency);
        double pv = 0;
        for (int i = 1; i <= t.years * 12; ++i) {
            double when = i / 12.0;
            pv += t.notional * t.coupon / 12 * std::exp(-rate(curve, when) * when);
        }
        pv += t.notional * std::exp(-rate(curve, t.years) * t.years);
        pv *= market.fx.at(t.currency);
        inside += since(entered);
        return pv;
    }

  private:
    static double rate(const std::vector<double> &c, double when) {
        size_t lo = std::min<size_t>(static_cast<size_t>(when), c.size() - 2);
        double part = when - lo;
        return c[lo] * (1 - part) + c[lo + 1] * part;
    }
};

static const std::vector<std::string> kCurrencies = {"EUR", "USD", "GBP", "JPY", "CHF", "SEK", "NOK", "DKK",
                                                     "PLN", "CZK", "HUF", "AUD", "NZD", "CAD", "ZAR", "SGD"};

static Market make_market(std::mt19937 &g) {
    std::normal_distribution<double> shock(0, 0.002);
    Market m;
    for (auto &c : kCurrencies) {
        auto &curve = m.curves[c];
        for (int y = 0; y <= 32; ++y) curve.push_back(0.02 + y * 0.0006 + shock(g));
        m.fx[c] = 1 + shock(g) * 20;
    }
    return m;
}

static double run_scenario(const Pricer &p, const Market &m, const std::vector<Trade> &book) {
    double sum = 0;
    for (const auto &t : book) {
        auto t0 = Clock::now();
        sum += p.value(m, t);
        outside += since(t0);
    }
    return sum;
}

int main() {
    std::mt19937 g(3);
    std::vector<Trade> book;
    for (int i = 0; i < 2500; ++i)
        book.push_back({kCurrencies[g() % kCurrencies.size()], 1e4 * (1 + g() % 90), 0.01 + g() % 40 / 1e3, 1 + int(g() % 18)});
    Pricer pricer;
    std::vector<double> values;
    for (int s = 0; s < 600; ++s) values.push_back(run_scenario(pricer, make_market(g), book));
    std::nth_element(values.begin(), values.begin() + 5, values.end());
    std::printf("fifth worst of 600: %.0f\n", values[5]);
    std::printf("truth %.3f\n", outside - inside);
}
