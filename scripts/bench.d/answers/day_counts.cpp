// Day counts: workers, one after the other as days come in, count the visitors of a site by page; the counts are kept.
//
// What is wrong: each day is counted by a thread of its own, whose malloc has an arena of its own. What it worked with
// is freed, but what it keeps was made last and lies behind all that: the arena cannot give it back, and the next
// thread begins another one.
// First screen should say: malloc keeps memory beyond all that the program ever held, some 500 MB.
// Mend: M_ARENA_MAX (or the variable MALLOC_ARENA_MAX), or one thread that stays.
#include <malloc.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

struct Visit {
  std::string page, from, browser;
};

std::size_t resident() {
  std::size_t size = 0, pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu %zu", &size, &pages) != 2) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

class Day {
 public:
  explicit Day(int number) : number_(number), thread_([this] { work(); }) {}
  void wait_until_counted() {
    std::unique_lock<std::mutex> lock(mutex_);
    counted_.wait(lock, [this] { return done_; });
  }
  std::size_t pages() const { return counts_.size(); }
  void end() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      over_ = true;
    }
    counted_.notify_all();
    thread_.join();
  }

 private:
  void work() {
    std::mt19937 random(number_);
    {
      std::vector<std::unique_ptr<Visit>> visits;  // FAULT malloc-overhead
      std::map<std::string, int> pages;
      for (int i = 0; i < 420'000; ++i) {
        auto visit = std::make_unique<Visit>();  // FAULT malloc-overhead
        visit->page = "/articles/of/the/day/number/" + std::to_string(random() % 500);
        visit->from = "https://search.example/query?words=" + std::to_string(random() % 100'000);
        visit->browser = "browser of a kind and version " + std::to_string(random() % 90);
        ++pages[visit->page];
        visits.push_back(std::move(visit));
      }
      for (const auto& [page, count] : pages) counts_[page + "!"] = count;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    done_ = true;
    counted_.notify_all();
    // The day is asked for until the week is over.
    counted_.wait(lock, [this] { return over_; });
  }

  int number_;
  std::map<std::string, int> counts_;
  std::mutex mutex_;
  std::condition_variable counted_;
  bool done_ = false, over_ = false;
  std::thread thread_;
};

int main() {
  std::vector<std::unique_ptr<Day>> week;
  std::size_t first = 0;
  for (int number = 0; number < 7; ++number) {
    week.push_back(std::make_unique<Day>(number));
    week.back()->wait_until_counted();
    std::printf("day %d: %zu pages, %zu MB resident\n", number, week.back()->pages(), resident() >> 20);
    if (number == 0) first = resident();
  }
  const std::size_t last = resident();
  for (auto& day : week) day->end();
  std::printf("truth %zu bytes\n", last - first);
}
