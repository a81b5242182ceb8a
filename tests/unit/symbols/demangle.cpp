#include "report/symbols/demangle.hpp"
#include "report/symbols/interval_map.hpp"
#include "report/symbols/mangled_length.hpp"
#include "tests/support/catch.hpp"

using prof::symbols::demangle;
using prof::symbols::demangled_length;
using prof::symbols::Interval;
using prof::symbols::IntervalMap;
using prof::symbols::shorten;

TEST_CASE("mangled names become C++, all others stay", "[symbols]") {
  CHECK(demangle("_ZN2ns5StackIiE4pushERKi") == "ns::Stack<int>::push(int const&)");
  CHECK(demangle("main") == "main");
  CHECK(demangle("_Znot_a_name") == "_Znot_a_name");
  CHECK(demangle("_Z" + std::string(100000, 'P')).size() == 100002);
  CHECK(demangle("_ZN4core3ops8call_one17h0123456789abcdefE") == "core::ops::call_one");
}

// A name of n templates, each of which has the one before it as both of its arguments.
std::string doubled(int n) {
  const auto part = [](int index) {
    return index == 0 ? std::string("S_")
                      : "S" + std::string(1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index - 1]) + "_";
  };
  std::string name = "_Z1f1AIiiE";
  for (int i = 1; i <= n; ++i) name += "S_I" + part(i) + part(i) + "E";
  return name;
}

// Which the demangler itself would write for minutes, to many gigabytes.
TEST_CASE("a mangled name that repeats itself without end stays mangled", "[symbols]") {
  CHECK(demangle(doubled(2)) ==
        "f(A<int, int>, A<A<int, int>, A<int, int> >, A<A<A<int, int>, A<int, int> >, A<A<int, int>, A<int, int> > >)");
  for (const int n : {20, 30, 35}) CHECK(demangle(doubled(n)) == doubled(n));
  // The length that is foreseen is about the length that comes out.
  for (const int n : {1, 5, 10}) {
    const double foreseen = static_cast<double>(demangled_length(doubled(n)));
    const double length = static_cast<double>(demangle(doubled(n)).size());
    CHECK(foreseen > length / 4);
    CHECK(foreseen < length * 4);
  }
  // Unknown forms: short ones are tried, long ones are not.
  CHECK(demangled_length("_Znot_a_name") == 0);
  CHECK(demangled_length("main") == 0);
  CHECK(demangled_length("_Z1f" + std::string(5000, 'P') + "i") == 0);
}

TEST_CASE("lengths of mangled names are foreseen", "[symbols]") {
  const std::string name = GENERATE(
      "_ZN2ns5StackIiE4pushERKi", "_ZNSt6vectorIiSaIiEE9push_backEOi", "_ZZN3foo3barEvENKUlT_E_clIiEEDaS0_.cold",
      "_ZSt4moveIRSsEONSt16remove_referenceIT_E4typeEOS2_", "_ZTVN10__cxxabiv117__class_type_infoE", "_ZThn8_N1C1fEv",
      "_ZNK5torch3jit6MethodclESt6vectorIN3c106IValueESaIS4_EERKSt13unordered_mapISsS4_St4hashISsESt8equal_"
      "toISsESaISt4pairIKSsS4_EEE",
      "_ZSt11make_sharedIN5clang4ento24PathDiagnosticEventPieceEJRNS1_22PathDiagnosticLocationERA34_KcEESt10shared_"
      "ptrINSt9enable_ifIXntsr8is_arrayIT_EE5valueESA_E4typeEEDpOT0_",
      "_ZN8nlohmann6detail9from_jsonIiLi0EEEDTcmcmcl20from_json_array_implfp_fp0_tlNS0_12priority_tagILj3EEEEEcldtfp_"
      "3getINT0_10value_typeEEEcvv_EERKT_RS4_");
  const std::string whole = demangle(name);
  CAPTURE(name, whole);
  CHECK(whole != name);
  const auto foreseen = static_cast<double>(demangled_length(name));
  CHECK(foreseen > static_cast<double>(whole.size()) / 6);
  CHECK(foreseen < static_cast<double>(whole.size()) * 6);
}

TEST_CASE("short names keep what tells functions apart", "[symbols]") {
  const auto [whole, brief] = GENERATE(table<const char*, const char*>({
      {"main", "main"},
      {"puts@plt", "puts@plt"},
      {"_PyEval_EvalFrameDefault", "_PyEval_EvalFrameDefault"},
      {"void ns::Stack<int>::push<long>(long const&) const", "ns::Stack::push"},
      {"A::~A()", "A::~A"},
      {"(anonymous namespace)::burn(int)", "(anonymous namespace)::burn"},
      {"int (anonymous namespace)::T<(anonymous namespace)::U>::f(int)", "(anonymous namespace)::T::f"},
      {"operator<(A const&, B const&)", "operator<"},
      {"bool operator< <int>(V<int> const&, V<int> const&)", "operator<"},
      {"bool std::operator==<int>(int)", "std::operator=="},
      {"std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)", "std::operator<<"},
      {"auto A::operator<=>(A const&) const", "A::operator<=>"},
      {"A::operator->() const", "A::operator->"},
      {"std::function<void (int)>::operator()(int) const", "std::function::operator()"},
      {"A::operator bool() const", "A::operator bool"},
      {"A<int>::operator std::vector<int>() const", "A::operator std::vector"},
      {"operator new(unsigned long)", "operator new"},
      {"operator delete[](void*)", "operator delete[]"},
      {"operator\"\" _km(unsigned long long)", "operator\"\" _km"},
      {"foo(int)::{lambda(int)#1}::operator()(int) const", "foo::{lambda#1}::operator()"},
      {"foo(int) const::{lambda()#2}::operator()() const", "foo::{lambda#2}::operator()"},
      {"ns::burn::{lambda:12}::operator()", "ns::burn::{lambda:12}::operator()"},
      {"call<main()::<lambda(int)> >", "call"},
      {"ns::<lambda(int)>", "ns::<lambda(int)>"},
      {"void (*f<int>(int))(char)", "f"},
      {"decltype (a+b) add<int, int>(int, int)", "add"},
      {"std::enable_if<(1>0), int>::type g<3>(int)", "g"},
      {"foo() [clone .cold]", "foo"},
      {"f(int (*)(char))", "f"},
  }));
  CHECK(shorten(whole) == brief);
}

TEST_CASE("damaged names are shortened to something", "[symbols]") {
  for (const char* name :
       {"", "<", "(", "a<b", "f(", "operator", "operator<", "{", "{lambda(", "::", " ", "()", ")>}"}) {
    CAPTURE(name);
    CHECK(shorten(name).size() <= std::string(name).size());
  }
}

TEST_CASE("the innermost of nested intervals wins", "[symbols]") {
  const IntervalMap map(
      {{10, 100, 0, 1}, {20, 40, 1, 2}, {25, 30, 2, 3}, {40, 50, 1, 4}, {200, 300, 0, 5}, {7, 7, 0, 9}});
  CHECK(map.find(7) == IntervalMap::kNone);
  CHECK(map.find(9) == IntervalMap::kNone);
  CHECK(map.find(10) == 1);
  CHECK(map.find(20) == 2);
  CHECK(map.find(24) == 2);
  CHECK(map.find(29) == 3);
  CHECK(map.find(30) == 2);
  CHECK(map.find(40) == 4);
  CHECK(map.find(99) == 1);
  CHECK(map.find(100) == IntervalMap::kNone);
  CHECK(map.find(299) == 5);
  CHECK(map.find(UINT64_MAX) == IntervalMap::kNone);
  CHECK(IntervalMap().find(0) == IntervalMap::kNone);
}

TEST_CASE("overlapping intervals of one depth give the first", "[symbols]") {
  const IntervalMap map({{10, 30, 0, 1}, {20, 40, 0, 2}});
  CHECK(map.find(25) == 1);
  CHECK(map.find(35) == 2);
}
