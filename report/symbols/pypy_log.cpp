#include "report/symbols/pypy_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "report/symbols/perf_map.hpp"

namespace prof::symbols {
namespace {

constexpr std::size_t kLongestPypyMap = std::size_t{64} << 20;
constexpr std::size_t kMostOnAStack = 32;

std::optional<std::uint64_t> number_at(std::string_view text, int base) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end == text.data()) return {};
  return value;
}

// What stands behind the first `mark`; nothing: it is not there.
std::optional<std::string_view> behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  return text.substr(at + mark.size());
}

// Of a section, "[1f00] {jit-log-opt-loop" and "[1f01] jit-log-opt-loop}"; "[p0, p1]" is one of its lines.
bool begins_or_ends(std::string_view line) {
  if (!line.starts_with('[')) return false;
  line.remove_prefix(std::min(line.find_first_not_of("0123456789abcdef", 1), line.size()));
  return line.starts_with("] {jit-") || line.starts_with("] jit-");
}

// Of "sieve;/srv/app.py:9-14~#42 FOR_ITER" the place "sieve /srv/app.py:9:14"; what has another form is a name.
std::string place_of(std::string_view point) {
  std::string name(point.substr(0, kLongestMadeName));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  const std::size_t semicolon = name.find(';'), tilde = name.rfind("~#");
  if (semicolon == std::string::npos || tilde == std::string::npos || tilde < semicolon) return name;
  const std::string_view place = std::string_view(name).substr(semicolon + 1, tilde - semicolon - 1);
  const std::size_t dash = place.rfind('-'), colon = place.rfind(':', dash);
  if (dash == std::string_view::npos || colon == std::string_view::npos) return name;
  const auto first = number_at(place.substr(colon + 1), 10), line = number_at(place.substr(dash + 1), 10);
  if (!first || !line) return name;
  return fmt::format("{} {}:{}:{}", name.substr(0, semicolon), place.substr(0, colon), *first, *line);
}

// The machine code of a loop or a bridge: first its prologue, then what its operations became, then what its guards do
// when they fail.
struct Part {
  std::string name;          // of the loop; empty: a bridge
  std::uint64_t origin = 0;  // what offsets count from
  std::uint64_t begin = 0, failures = 0, end = 0;
};

class PypyListing {
 public:
  void read(std::string_view line) {
    if (begins_or_ends(line)) {
      finish();
    } else if (line.find(" has address 0x") != std::string_view::npos) {
      finish();
      part_ = &(parts_[key(line)] = {});
      if (line.starts_with("Loop")) part_->name = name_of(line);
    } else if (part_ != nullptr) {
      addresses(line);
    } else if (line.starts_with("# ")) {
      const auto found = parts_.find(key(line.substr(2)));
      code_ = found == parts_.end() ? nullptr : &found->second;
      callers_.clear();
      at_ = 0;
    } else if (code_ != nullptr) {
      operation(line);
    }
  }

  std::string take() {
    finish();
    for (const auto& [key, part] : parts_) nameless(part);
    return std::move(out_);
  }

 private:
  // "Loop 12", "Guard 0x7f12"; the address of a guard is used again, for what comes later.
  static std::string key(std::string_view line) {
    if (const auto guard = behind(line, "Guard ")) return std::string(guard->substr(0, guard->find(' ')));
    return std::string(line.substr(0, line.find(' ', line.find(' ') + 1)));
  }

  static std::string name_of(std::string_view line) {
    const std::size_t open = line.find('('), close = line.find(") has address");
    return open < close && close != std::string_view::npos ? place_of(line.substr(open + 1, close - open - 1)) : "";
  }

  void addresses(std::string_view line) {
    const auto at = [&](std::string_view what, std::uint64_t& address) {
      if (const auto found = behind(line, what)) address = number_at(*found, 16).value_or(0);
    };
    at("gc table: ", part_->origin);
    at("function: ", part_->begin);
    at("jump target: ", part_->begin);
    at("failures: ", part_->failures);
    at("end: ", part_->end);
  }

  // "debug_merge_point(DEPTH, CALL, 'PLACE')" or "+OFFSET: OPERATION".
  void operation(std::string_view line) {
    if (const auto point = behind(line, "debug_merge_point(")) {
      const std::size_t open = point->find('\''), close = point->rfind('\'');
      const std::uint64_t depth = number_at(*point, 10).value_or(kMostOnAStack);
      if (open == std::string_view::npos || open >= close || depth >= kMostOnAStack) return;
      callers_.resize(std::min<std::size_t>(depth, callers_.size()));
      callers_.push_back(place_of(point->substr(open + 1, close - open - 1)));
      if (whole_.empty()) whole_ = callers_.front();
      pending_ = true;
    } else if (line.starts_with('+')) {
      const auto offset = number_at(line.substr(1), 10);
      if (!offset) return;
      if (at_ == 0) {
        at_ = code_->begin;
        if (callers_.empty() && !code_->name.empty()) callers_.push_back(whole_ = code_->name);
        running_ = chain();
        pending_ = false;
      } else if (pending_) {
        move_to((code_->origin != 0 ? code_->origin : code_->begin) + *offset);
      }
    }
  }

  // What stands before `here` is of the places that held until now.
  void move_to(std::uint64_t here) {
    pending_ = false;
    std::string now = chain();
    if (now == running_) return;
    if (running_.empty()) running_ = now;  // nothing said what the first operations are
    if (here > at_ && here <= code_->end) {
      add(at_, here - at_, running_);
      at_ = here;
    }
    running_ = std::move(now);
  }

  std::string chain() const {
    std::string out;
    for (auto place = callers_.rbegin(); place != callers_.rend(); ++place) {
      if (!out.empty()) out += '\t';
      out += *place;
    }
    return out;
  }

  void finish() {
    part_ = nullptr;
    if (code_ != nullptr && at_ != 0) {
      if (code_->failures > at_ && code_->failures <= code_->end) {
        add(at_, code_->failures - at_, running_);
        at_ = code_->failures;
      }
      if (code_->end > at_) add(at_, code_->end - at_, whole_);
      code_->end = code_->begin;  // has its names
    }
    code_ = nullptr;
    running_.clear();
    whole_.clear();
    pending_ = false;
  }

  void nameless(const Part& part) {
    if (part.end > part.begin && part.begin != 0)
      add(part.begin, part.end - part.begin, part.name.empty() ? "(PyPy's bridge)" : part.name);
  }

  void add(std::uint64_t address, std::uint64_t size, std::string_view places) {
    if (out_.size() > kLongestPypyMap || places.empty()) return;
    fmt::format_to(std::back_inserter(out_), "{:x} {:x} {}{}\n", address, size, kCompiledByPypy, places);
  }

  std::map<std::string, Part> parts_;  // by key
  Part* part_ = nullptr;               // whose addresses are read; null: of none
  Part* code_ = nullptr;               // whose operations are read; null: of none
  std::vector<std::string> callers_;   // of the operation in hand, outermost first
  std::string running_, whole_;        // the places of what is before it, and of the whole part
  std::uint64_t at_ = 0;               // named up to here; 0: no operation was seen
  bool pending_ = false;               // the next operation begins a line
  std::string out_;
};

}  // namespace

bool is_pypy_log(std::string_view text) { return begins_or_ends(text); }

std::string map_of_pypy_log(std::string_view text) {
  PypyListing listing;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    listing.read(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return listing.take();
}

}  // namespace prof::symbols
