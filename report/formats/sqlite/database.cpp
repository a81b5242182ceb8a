#include "report/formats/sqlite/database.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/show/text.hpp"

namespace prof::formats {

Database::Database(const std::string& path) {
  // One thread at a time has it, as the header says.
  constexpr int kOpen = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path.c_str(), &handle_, kOpen, nullptr) != SQLITE_OK) {
    const std::string why = handle_ == nullptr ? "no memory" : sqlite3_errmsg(handle_);
    sqlite3_close(handle_);
    throw DatabaseError(why);
  }
  try {
    // Nobody sees the file before it is whole: there is nothing to go back to.
    run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA "
        "locking_mode = EXCLUSIVE; BEGIN");
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

Database::~Database() { sqlite3_close(handle_); }

void Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void Database::close() {
  run("COMMIT");
  if (sqlite3_close(handle_) != SQLITE_OK) fail();
  handle_ = nullptr;
}

void Database::fail() const { throw DatabaseError(sqlite3_errmsg(handle_)); }

Insert::Insert(Database& database, const std::string& table, const std::string& columns) : database_(database) {
  std::string places = "?";
  for (std::ptrdiff_t i = std::count(columns.begin(), columns.end(), ','); i > 0; --i) places += ",?";
  const std::string sql = "INSERT INTO " + table + "(" + columns + ") VALUES(" + places + ")";
  check(sqlite3_prepare_v2(database_.handle(), sql.c_str(), -1, &statement_, nullptr));
}

Insert::~Insert() { sqlite3_finalize(statement_); }

void Insert::check(int result) const {
  if (result != SQLITE_OK) database_.fail();
}

void Insert::add(std::int64_t value) { check(sqlite3_bind_int64(statement_, column_++, value)); }

void Insert::add(double value) { check(sqlite3_bind_double(statement_, column_++, value)); }

void Insert::add(const std::string& text) {
  std::string valid = show::valid_utf8(text);
  // SQLite's own functions take a text to end there.
  std::erase(valid, '\0');
  check(sqlite3_bind_text64(statement_, column_++, valid.data(), valid.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Insert::add(const show::Cell& cell, show::Kind kind) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    if (text->empty()) return add(nullptr);
    return add(*text);
  }
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return add(*whole);
  const auto* real = std::get_if<double>(&cell);
  if (real == nullptr) return add(nullptr);
  const bool ratio = kind == show::Kind::Share || kind == show::Kind::FlopRate || kind == show::Kind::ByteRate;
  if (ratio || std::abs(*real) > 9e18 || !std::isfinite(*real)) return add(*real);
  add(static_cast<std::int64_t>(std::llround(*real)));
}

void Insert::end() {
  if (sqlite3_step(statement_) != SQLITE_DONE) database_.fail();
  check(sqlite3_reset(statement_));
  check(sqlite3_clear_bindings(statement_));
  column_ = 1;
}

}  // namespace prof::formats
