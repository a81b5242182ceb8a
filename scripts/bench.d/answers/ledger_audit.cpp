// Stress test of the accounts of a small bank: how many of them would go below
// their limit if more or less money came in or went out than planned.
//
// The entries of the map are of another type than the variable of the loop, and each is copied for it.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int kAccounts = 30000;
constexpr int kDays = 364;

struct Posting {
    int day;
    std::int64_t cents;
};

struct Account {
    std::string owner;
    std::string branch;
    std::int64_t limit = 0;
    std::vector<Posting> postings;  // in order of day
};

// Keyed by account number.
using Ledger = std::map<std::string, Account>;

Ledger makeLedger(unsigned seed) {
    std::mt19937 rng(seed);
    Ledger ledger;
    char number[32];
    for (int i = 0; i < kAccounts; ++i) {
        std::snprintf(number, sizeof number, "DE%02d5001%010d", i % 97, i * 37);
        Account account;
        account.owner = "Customer of account " + std::to_string(i);
        account.branch = "Branch number " + std::to_string(i % 60);
        account.limit = -static_cast<std::int64_t>(rng() % 300000);
        const int count = 20 + static_cast<int>(rng() % 30);
        account.postings.reserve(count);
        for (int k = 0; k < count; ++k) {
            const int day = k * kDays / count;
            account.postings.push_back({day, static_cast<std::int64_t>(rng() % 200000) - 98000});
        }
        ledger.emplace_hint(ledger.end(), number, std::move(account));
    }
    return ledger;
}

// A year in which incoming and outgoing money differ from what was planned.
struct Scenario {
    int creditPerMille;
    int debitPerMille;
};

struct Course {
    std::int64_t lowest = 0;
    std::int64_t last = 0;
};

// Runs through the postings of one account under the scenario.
Course follow(const Account& account, const Scenario& scenario) {
    Course course;
    std::int64_t balance = 0;
    for (const Posting& posting : account.postings) {
        const int factor = posting.cents < 0 ? scenario.debitPerMille : scenario.creditPerMille;
        balance += posting.cents * factor / 1000;
        course.lowest = std::min(course.lowest, balance);
    }
    course.last = balance;
    return course;
}

struct AuditResult {
    std::int64_t total = 0;
    int overdrawn = 0;
};

AuditResult byReference(const Ledger& ledger, const Scenario& scenario) {
    AuditResult result;
    for (const auto& entry : ledger) {
        const Course course = follow(entry.second, scenario);
        result.total += course.last;
        if (course.lowest < entry.second.limit) ++result.overdrawn;
    }
    return result;
}

AuditResult audit(const Ledger& ledger, const Scenario& scenario) {
    AuditResult result;
    for (const std::pair<std::string, Account>& entry : ledger) {  // FAULT container-copies
        const Account& account = entry.second;
        const Course course = follow(account, scenario);
        result.total += course.last;
        if (course.lowest < account.limit) ++result.overdrawn;
    }
    return result;
}

// Turnover of the whole bank on each day.
std::vector<std::int64_t> dailyTurnover(const Ledger& ledger) {
    std::vector<std::int64_t> turnover(kDays, 0);
    for (const auto& [number, account] : ledger) {
        for (const Posting& posting : account.postings) {
            turnover[posting.day] += posting.cents < 0 ? -posting.cents : posting.cents;
        }
    }
    return turnover;
}

}  // namespace

int main() {
    const Ledger ledger = makeLedger(23);
    const auto now = [] { return std::chrono::steady_clock::now(); };
    std::chrono::duration<double> spent{};
    int audits = 0;
    for (int credit = 900; credit < 1100; credit += 10) {
        std::int64_t worstTotal = std::numeric_limits<std::int64_t>::max();
        int mostOverdrawn = 0;
        for (int debit = 920; debit < 1080; debit += 10) {
            const auto began = now();
            const AuditResult result = audit(ledger, {credit, debit});
            spent += now() - began;
            ++audits;
            worstTotal = std::min(worstTotal, result.total);
            mostOverdrawn = std::max(mostOverdrawn, result.overdrawn);
        }
        if (credit % 50 == 0) {
            std::printf("credit %4d: worst total %lld, most overdrawn %d\n", credit,
                        static_cast<long long>(worstTotal), mostOverdrawn);
        }
    }
    const std::vector<std::int64_t> turnover = dailyTurnover(ledger);
    const auto busiest = std::max_element(turnover.begin(), turnover.end());
    std::printf("busiest day %d with %lld\n", static_cast<int>(busiest - turnover.begin()),
                static_cast<long long>(*busiest));
    const auto began = now();
    std::int64_t total = 0;
    for (int i = 0; i < 10; ++i) total += byReference(ledger, {1000 + i, 1000}).total;
    const std::chrono::duration<double> needed = (now() - began) / 10;
    std::printf("checked %lld\n", static_cast<long long>(total));
    std::printf("truth %.3f\n", (spent - needed * audits).count());
    return 0;
}
