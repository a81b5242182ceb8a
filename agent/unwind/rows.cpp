#include "agent/unwind/rows.hpp"

#include <cstddef>

#include "agent/unwind/eh_frame.hpp"
#include "agent/unwind/expression.hpp"
#include "agent/unwind/made_code.hpp"
#include "agent/unwind/objects.hpp"
#include "agent/unwind/second_mapping.hpp"

namespace prof {
namespace {

using eh::Reader;

constexpr std::uint64_t kRbp = 6, kRsp = 7, kReturnAddress = 16;

struct RegisterRule {
  enum Kind : std::uint8_t { Same, AtOffset, Undefined, Expression, Other } kind = Same;
  std::int64_t offset = 0;  // from the CFA
  const std::uint8_t *expression = nullptr, *expression_end = nullptr;
};

struct State {
  std::uint64_t base = kRsp;
  std::int64_t offset = 8;
  const std::uint8_t *expression = nullptr, *expression_end = nullptr;  // of the CFA; null: base + offset
  RegisterRule bp;
  RegisterRule ra{RegisterRule::AtOffset, -8};
};

bool saved_bp(const State& s, std::uintptr_t address, Row& row) {
  switch (s.bp.kind) {
    case RegisterRule::Same:
      row.bp = Row::kBpKept;
      return true;
    case RegisterRule::AtOffset:
      if (s.bp.offset >= 0 || s.bp.offset % 8 != 0 || s.bp.offset < -8 * 253) return false;
      row.bp = static_cast<std::uint8_t>(-s.bp.offset / 8);
      return true;
    case RegisterRule::Expression: {
      eh::Value v;
      if (!eh::evaluate(s.bp.expression, s.bp.expression_end, address, v) || !v.has_register || v.fetched ||
          v.reg != kRbp || v.constant != 0) {
        return false;
      }
      row.bp = Row::kBpAtBp;
      return true;
    }
    default:
      row.bp = Row::kBpUnknown;
      return true;
  }
}

Row row_of(const State& s, std::uintptr_t address) {
  Row row;
  if (s.ra.kind == RegisterRule::Undefined) {
    row.kind = Row::Outermost;
    return row;
  }
  if (s.ra.kind != RegisterRule::AtOffset || s.ra.offset != -8 || !saved_bp(s, address, row)) return Row{};
  std::int64_t offset = s.offset;
  std::uint64_t base = s.base;
  row.kind = Row::CfaRegister;
  if (s.expression != nullptr) {
    eh::Value v;
    if (!eh::evaluate(s.expression, s.expression_end, address, v) || !v.has_register) return Row{};
    if (v.after != 0 && v.after != 8) return Row{};
    if (v.fetched) row.kind = v.after == 0 ? Row::CfaDeref : Row::CfaSaved;
    offset = v.constant;
    base = v.reg;
  }
  if (base >= 16 || offset < INT32_MIN || offset > INT32_MAX) return Row{};
  row.base = static_cast<std::uint8_t>(base);
  row.offset = static_cast<std::int32_t>(offset);
  return row;
}

// The rows of one function.
struct RowList {
  RowAt* to;
  std::size_t room, count = 0;
  bool whole = true;  // there was room, and the program went neither back nor beyond the function

  // What holds in [from, end).
  bool add(const eh::Description& d, std::uintptr_t from, std::uintptr_t end, const State& s) {
    if (end == from && whole) return true;
    whole &= end > from && end <= d.end && from - d.begin <= UINT32_MAX && count < room;
    if (!whole) return false;
    const Row row = row_of(s, from);
    // An expression may yield something else at each address, as those of procedure linkage tables do.
    const Row last = s.expression != nullptr ? row_of(s, end - 1) : row;
    whole = last.kind == row.kind && last.base == row.base && last.offset == row.offset;
    if (whole) to[count++] = {static_cast<std::uint32_t>(from - d.begin), row};
    return whole;
  }
};

// Runs call frame instructions up to `address`. `initial` is the state after the common program (DW_CFA_restore).
class Program {
 public:
  Program(const eh::Description& d, std::uintptr_t address, RowList* rows = nullptr)
      : d_(d), address_(address), rows_(rows) {}

  bool run(State& s) {
    if (!execute(d_.common_program, d_.common_program_end, s)) return false;
    initial_ = s;
    return execute(d_.program, d_.program_end, s) && (rows_ == nullptr || rows_->add(d_, location_, d_.end, s));
  }

 private:
  static constexpr std::size_t kMemory = 6;  // compilers nest one or two deep

  RegisterRule* rule(State& s, std::uint64_t reg) {
    return reg == kRbp ? &s.bp : reg == kReturnAddress ? &s.ra : &ignored_;
  }
  void at_offset(State& s, std::uint64_t reg, std::int64_t factored) {
    *rule(s, reg) = {RegisterRule::AtOffset, factored * d_.data_align, nullptr, nullptr};
  }
  void restore(State& s, std::uint64_t reg) { *rule(s, reg) = reg == kReturnAddress ? initial_.ra : initial_.bp; }

  // False when the target address has been reached.
  bool advance(State& s, std::uint64_t delta) {
    const std::uintptr_t next = location_ + delta * d_.code_align;
    if (rows_ != nullptr && !rows_->add(d_, location_, next, s)) return false;
    location_ = next;
    return location_ <= address_;
  }

  bool execute(const std::uint8_t* from, const std::uint8_t* to, State& s) {
    Reader r(from, to);
    location_ = d_.begin;
    while (!r.done()) {
      const std::uint8_t op = r.byte();
      const std::uint8_t low = op & 0x3f;
      switch (op >> 6) {
        case 1:
          if (!advance(s, low)) return true;
          continue;
        case 2:
          at_offset(s, low, static_cast<std::int64_t>(r.uleb()));
          continue;
        case 3:
          restore(s, low);
          continue;
        default:
          break;
      }
      switch (low) {
        case 0x00:
          break;  // nop
        case 0x02:
          if (!advance(s, r.byte())) return true;
          break;
        case 0x03:
          if (!advance(s, r.fixed<std::uint16_t>())) return true;
          break;
        case 0x04:
          if (!advance(s, r.fixed<std::uint32_t>())) return true;
          break;
        case 0x05: {
          const auto reg = r.uleb();
          at_offset(s, reg, static_cast<std::int64_t>(r.uleb()));
          break;
        }
        case 0x06:
          restore(s, r.uleb());
          break;
        case 0x07:
          rule(s, r.uleb())->kind = RegisterRule::Undefined;
          break;
        case 0x08:
          *rule(s, r.uleb()) = {RegisterRule::Same, 0, nullptr, nullptr};
          break;
        case 0x09: {
          RegisterRule* to_rule = rule(s, r.uleb());
          r.uleb();
          to_rule->kind = RegisterRule::Other;
          break;
        }
        case 0x0a:
          if (depth_ == kMemory) return false;
          memory_[depth_++] = s;
          break;
        case 0x0b:
          if (depth_ == 0) return false;
          s = memory_[--depth_];
          break;
        case 0x0c:
          s.base = r.uleb();
          s.offset = static_cast<std::int64_t>(r.uleb());
          s.expression = nullptr;
          break;
        case 0x0d:
          s.base = r.uleb();
          s.expression = nullptr;
          break;
        case 0x0e:
          s.offset = static_cast<std::int64_t>(r.uleb());
          break;
        case 0x0f: {
          const auto n = r.uleb();
          s.expression = r.position();
          r.skip(n);
          s.expression_end = r.position();
          break;
        }
        case 0x10: {
          RegisterRule* to_rule = rule(s, r.uleb());
          const auto n = r.uleb();
          const std::uint8_t* start = r.position();
          r.skip(n);
          *to_rule = {RegisterRule::Expression, 0, start, r.position()};
          break;
        }
        case 0x11: {
          const auto reg = r.uleb();
          at_offset(s, reg, r.sleb());
          break;
        }
        case 0x12:
          s.base = r.uleb();
          s.offset = r.sleb() * d_.data_align;
          s.expression = nullptr;
          break;
        case 0x13:
          s.offset = r.sleb() * d_.data_align;
          break;
        case 0x14:
        case 0x15:
          rule(s, r.uleb())->kind = RegisterRule::Other;
          r.sleb();
          break;
        case 0x16: {
          RegisterRule* to_rule = rule(s, r.uleb());
          r.skip(r.uleb());
          to_rule->kind = RegisterRule::Other;
          break;
        }
        case 0x2e:
          r.uleb();
          break;  // GNU_args_size
        default:
          return false;
      }
    }
    return true;
  }

  const eh::Description& d_;
  const std::uintptr_t address_;
  RowList* const rows_;  // where all rows go; null: that of the address is wanted
  std::uintptr_t location_ = 0;
  State initial_;
  State memory_[kMemory];
  std::size_t depth_ = 0;
  RegisterRule ignored_;
};

}  // namespace

Row row_at(std::uintptr_t address) {
  Row guess;
  guess.kind = Row::Guess;
  Object object{};
  if (!object_at(address, object)) {
    Row row;
    if (made_code::row_at(address, row)) return row;
    if (!second_mapping::original_of(address, address) || !object_at(address, object)) return guess;
  }
  eh::Description d{};
  switch (eh::find_description(object, address, d)) {
    case eh::Search::NoDescription:
      return guess;
    case eh::Search::NotUnderstood:
      return Row{};
    case eh::Search::Found:
      break;
  }
  if (d.signal) {
    Row row;
    row.kind = Row::Signal;
    return row;
  }
  State s;
  Program program(d, address);
  if (!program.run(s)) return Row{};
  return row_of(s, address);
}

std::size_t rows_of(const eh::Description& d, RowAt* to, std::size_t room) {
  State s;
  RowList rows{to, room};
  return !d.signal && Program(d, UINTPTR_MAX, &rows).run(s) && rows.whole ? rows.count : 0;
}

}  // namespace prof
