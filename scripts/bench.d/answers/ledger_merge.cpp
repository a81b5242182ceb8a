// Ledger merge: takes the postings of many branches into their books, merges these into
// one ledger, sorts it, sums up by account and month, and looks for large debts.
//
// What is wrong: Book::append asks for exactly the room for one more posting with
// reserve(size + 1); that defeats the doubling of the vector: each posting
// moves the whole book of its branch to a new block.
// First screen should say: most of the time is in std::vector<Posting>::reserve,
// called from Book::append (line marked FAULT): all postings of the book moved
// again for each new one, quadratic.
// Mend: leave that reserve away (or reserve the whole once).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using Clock = std::chrono::steady_clock;

struct Posting {
    std::string account;
    std::string text;
    int64_t cents;
    int day;
    int branch;
};

class Book {
public:
    void append(Posting&& posting) {
        postings_.reserve(postings_.size() + 1);  // FAULT container-reserves
        postings_.push_back(std::move(posting));
    }

    std::vector<Posting>& postings() { return postings_; }

private:
    std::vector<Posting> postings_;
};

class Branch {
public:
    Branch(int number) : number_(number), rng_(77 + number) {}

    Posting next() {
        char account[16], text[48];
        std::snprintf(account, sizeof account, "4%05u", unsigned(rng_() % 3000));
        std::snprintf(text, sizeof text, "inv %u/%d of branch %02d", unsigned(rng_() % 100000), 2000 + count_++, number_);
        int64_t cents = int64_t(rng_() % 500000) - 200000;
        return {account, text, cents, int(rng_() % 365), number_};
    }

private:
    int number_;
    int count_ = 0;
    std::mt19937 rng_;
};

class Ledger {
public:
    void merge(Book& book) {
        for (auto& posting : book.postings()) postings_.push_back(std::move(posting));
        book.postings().clear();
    }

    void sort() {
        std::sort(postings_.begin(), postings_.end(), [](const Posting& a, const Posting& b) {
            if (a.account != b.account) return a.account < b.account;
            if (a.day != b.day) return a.day < b.day;
            return a.text < b.text;
        });
    }

    std::map<std::pair<std::string, int>, int64_t> months() const {
        std::map<std::pair<std::string, int>, int64_t> sums;
        for (const auto& posting : postings_) sums[{posting.account, posting.day / 31}] += posting.cents;
        return sums;
    }

    // Largest debt of any account over the year, with interest day by day.
    double largestDebt(double rate) const {
        double worst = 0, balance = 0;
        int day = 0;
        const std::string* account = nullptr;
        for (const auto& posting : postings_) {
            if (!account || *account != posting.account) {
                balance = 0;
                day = 0;
                account = &posting.account;
            }
            for (; day < posting.day; ++day) balance *= 1.0 + rate * std::tanh(balance / 1e6);
            balance += posting.cents / 100.0;
            worst = std::min(worst, balance);
        }
        return -worst;
    }

    size_t size() const { return postings_.size(); }

private:
    std::vector<Posting> postings_;
};

int main() {
    const int count = 6500;
    Ledger ledger;
    double taking = 0;
    for (int number = 0; number < 30; ++number) {
        Branch branch(number);
        Book book;
        auto began = Clock::now();
        for (int i = 0; i < count; ++i) book.append(branch.next());
        taking += std::chrono::duration<double>(Clock::now() - began).count();
        ledger.merge(book);
    }
    ledger.sort();
    auto sums = ledger.months();
    int64_t largest = 0;
    for (const auto& entry : sums) largest = std::max(largest, entry.second);
    double debts = 0;
    for (int rate = 1; rate <= 60; ++rate) debts += ledger.largestDebt(rate * 1e-5);
    std::printf("%zu postings, %zu sums, largest %.2f, largest debt %.2f\n", ledger.size(), sums.size(),
                largest / 100.0, debts / 60);
    double saved = taking - 0.45e-6 * double(ledger.size());
    std::printf("truth %.3f\n", saved > 0 ? saved : 0.0);
}
