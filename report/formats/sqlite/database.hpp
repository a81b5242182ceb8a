// A database of SQLite that is written once, from nothing. Not for several threads at once.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "report/show/sheet.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace prof::formats {

// what() is what SQLite says: no room on the disk, and the like.
struct DatabaseError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Database {
 public:
  explicit Database(const std::string& path);  // of a file that is empty or not there
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql);
  void close();  // all is written then

  sqlite3* handle() const { return handle_; }
  [[noreturn]] void fail() const;

 private:
  sqlite3* handle_ = nullptr;
};

// Rows of one table. Columns are filled from left to right; what is left out is NULL.
class Insert {
 public:
  // `table` with `columns` between commas.
  Insert(Database& database, const std::string& table, const std::string& columns);
  ~Insert();
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  template <typename... Values>
  void row(const Values&... values) {
    (add(values), ...);
    end();
  }

  void add(std::int64_t value);
  void add(double value);
  void add(const std::string& text);  // bytes that are no UTF-8 become escapes
  void add(const char* text) { add(std::string(text)); }
  void add(std::nullptr_t) { ++column_; }
  template <std::integral Integer>
  void add(Integer value) {
    if constexpr (sizeof(Integer) == 8 && std::unsigned_integral<Integer>) {
      add(value > static_cast<Integer>(INT64_MAX) ? INT64_MAX : static_cast<std::int64_t>(value));
    } else {
      add(static_cast<std::int64_t>(value));
    }
  }
  template <typename Value>
  void add(const std::optional<Value>& value) {
    if (value) return add(*value);
    add(nullptr);
  }
  void add(const show::Cell& cell, show::Kind kind);
  void end();

 private:
  void check(int result) const;

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int column_ = 1;
};

// NULL for an empty text.
inline std::optional<std::string> some(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}
// NULL for 0.
template <typename Integer>
std::optional<Integer> some(Integer value) {
  return value == 0 ? std::nullopt : std::optional(value);
}

}  // namespace prof::formats
