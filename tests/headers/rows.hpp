// Turns the rows of interpose/cuda into comparisons with the real headers: read before one of these files, and after
// the headers in question. What is compared is what the ABI makes of each parameter.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "interpose/cuda/call.hpp"
#include "interpose/cuda/library.hpp"

namespace prof::test {

enum class Class { Integer, Real, Object };
struct Passed {
  Class kind;
  std::size_t bytes;
  bool operator==(const Passed&) const = default;
};

// Complex numbers are structures that go where floating-point numbers go.
template <class T>
concept Complex = std::is_class_v<T> && requires(T t) {
  requires std::is_floating_point_v<decltype(t.x)>;
};

template <class T>
constexpr Passed passed() {
  if constexpr (std::is_void_v<T>) {
    return {Class::Object, 0};
  } else if constexpr (std::is_floating_point_v<T> || Complex<T>) {
    return {Class::Real, sizeof(T)};
  } else if constexpr (std::is_class_v<T>) {
    static_assert(std::is_trivially_copyable_v<T>);
    return {Class::Object, sizeof(T)};
  } else {
    return {Class::Integer, sizeof(T)};
  }
}

// The same parameters, one by one.
template <class Ours, class Theirs>
struct Same : std::false_type {};
template <class R1, class... P1, class R2, class... P2>
struct Same<R1(P1...), R2(P2...)> {
  static constexpr bool compare() {
    if constexpr (sizeof...(P1) != sizeof...(P2))
      return false;
    else
      return passed<R1>() == passed<R2>() && ((passed<P1>() == passed<P2>()) && ...);
  }
  static constexpr bool value = compare();
};

// As many words in the registers and slots of each kind, whatever their order, and none wider than ours.
struct Words {
  std::size_t integers = 0, reals = 0;
  bool small = true;  // no object among them
  bool operator==(const Words&) const = default;
};
template <class... P>
constexpr Words words() {
  Words w;
  const auto count = [&w](Passed p) {
    if (p.kind == Class::Integer)
      ++w.integers;
    else if (p.kind == Class::Real)
      w.reals += p.bytes > 8 ? 2 : 1;
    else
      w.small = false;
  };
  (count(passed<P>()), ...);
  return w;
}
template <class Ours, class Theirs>
struct SameWords : std::false_type {};
template <class R1, class... P1, class R2, class... P2>
struct SameWords<R1(P1...), R2(P2...)> {
  static constexpr bool value = passed<R1>() == passed<R2>() && words<P1...>() == words<P2...>() &&
                                words<P2...>().small && words<P2...>().reals <= 8;
};

// Parameters are passed on under their names, each in its place: "(void* to, int n)" and "(to, n)".
constexpr bool is_name(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
// Takes the next part of a list in parentheses off its front.
constexpr std::string_view next_part(std::string_view& list) {
  std::size_t depth = 0, end = 0;
  while (end < list.size() && (depth != 0 || (list[end] != ',' && list[end] != ')'))) {
    depth += list[end] == '(';
    depth -= list[end] == ')';
    ++end;
  }
  const std::string_view part = list.substr(0, end);
  list.remove_prefix(end < list.size() ? end + 1 : end);
  return part;
}
// The name in a declaration: its last word, or that of a pointer to a function.
constexpr std::string_view name_in(std::string_view part) {
  if (const std::size_t pointer = part.find("(*"); pointer != part.npos)
    part = part.substr(pointer + 2, part.find(')', pointer) - pointer - 2);
  while (!part.empty() && !is_name(part.back())) part.remove_suffix(1);
  std::size_t begin = part.size();
  while (begin > 0 && is_name(part[begin - 1])) --begin;
  return part.substr(begin);
}
constexpr bool passed_on(std::string_view params, std::string_view args) {
  params.remove_prefix(1);
  args.remove_prefix(1);
  while (!params.empty() || !args.empty()) {
    const std::string_view name = name_in(next_part(params)), arg = next_part(args);
    if (name != name_in(arg) || arg.find_first_of("*&+-") != arg.npos) return false;
  }
  return true;
}
static_assert(passed_on("(void* to, void (*f)(int, void*), int n)", "(to, f, n)") && passed_on("()", "()"));
static_assert(!passed_on("(void* to, const void* from)", "(from, to)") && !passed_on("(int a, int b)", "(a)"));

}  // namespace prof::test

// A function that the header overloads for C++ has no type of its own: of these the forms for 64-bit integers, which
// come from the same shape, are compared alone.
#define PROF_OVERLOADED_cublasGemmEx ~, PROF_NOT_COMPARED
#define PROF_OVERLOADED_cublasGemmBatchedEx ~, PROF_NOT_COMPARED
#define PROF_OVERLOADED_cublasGemmStridedBatchedEx ~, PROF_NOT_COMPARED
#define PROF_NOT_COMPARED(type, name_)
#define PROF_COMPARED(type, name_) \
  static_assert(::prof::test::Same<type, decltype(::name_)>::value, #name_ " takes other parameters");
#define PROF_SECOND(first, second, ...) second
#define PROF_PICK(...) PROF_SECOND(__VA_ARGS__)

#undef PROF_GPU_ROW
#define PROF_GPU_ROW(library_, missing_, not_ready_, Result, name_, role_, params, args, ...)        \
  static_assert(::prof::test::passed_on(#params, #args), #name_ " does not pass its parameters on"); \
  PROF_PICK(PROF_OVERLOADED_##name_, PROF_COMPARED, ~)(PROF_TYPE(Result params), name_)
#define PROF_TYPE(...) std::type_identity_t<__VA_ARGS__>

// Words alone, not what they mean.
#undef PROF_GPU_NAMED
#define PROF_GPU_NAMED(library_, missing_, name_, role_, words_, reals_)                                         \
  static_assert(::prof::test::SameWords<int(PROF_WORDS_##words_ PROF_REALS_##reals_), decltype(::name_)>::value, \
                #name_ " takes other parameters");

// No header can be asked.
#undef PROF_GPU_VARIANT
#define PROF_GPU_VARIANT(...)
#undef PROF_GPU_ANY
#define PROF_GPU_ANY(library_, missing_, not_ready_, Result, name_, role_, params, args, ...) \
  static_assert(::prof::test::passed_on(#params, #args), #name_ " does not pass its parameters on");
