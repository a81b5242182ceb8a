#include "report/symbols/dotnet_names.hpp"

#include "tests/support/catch.hpp"

using namespace prof;

namespace {

std::string short_name(std::string_view listed) {
  const auto method = symbols::dotnet_method(listed);
  return method ? method->short_name : "";
}

}  // namespace

// As a runtime of version 3.1 lists them.
TEST_CASE(".NET's methods: type, name and assembly", "[symbols]") {
  const auto method = symbols::dotnet_method(
      "instance bool [System.Private.CoreLib] System.Collections.Generic.Dictionary`2[System.__Canon,System.Int32]::"
      "TryGetValue(!0,!1&)[OptimizedTier1]");
  REQUIRE(method);
  CHECK(method->assembly == "System.Private.CoreLib");
  CHECK(method->short_name == "System.Collections.Generic.Dictionary.TryGetValue");
  CHECK(method->name == "System.Collections.Generic.Dictionary.TryGetValue(!0,!1&)");
  // Compiled again, and with types of other assemblies before the method's own.
  CHECK(symbols::dotnet_method("int32 [words] Words::Fib(int32)[Tier0]")->name ==
        symbols::dotnet_method("int32 [words] Words::Fib(int32)[OptimizedTier1]")->name);
  CHECK(symbols::dotnet_method("class [mscorlib]System.String [acme] Acme.Orders::Name()[QuickJitted]")->assembly ==
        "acme");
  CHECK(short_name("void [acme] Acme.Orders::.ctor(int32[])[Tier0]") == "Acme.Orders..ctor");
  CHECK(short_name("void [acme] Acme.Orders+Line::Add(class [mscorlib]System.Object)[Tier0]") ==
        "Acme.Orders.Line.Add");
  CHECK(short_name("int32 [words] Words::Fib(int32)") == "Words.Fib");
}

TEST_CASE(".NET's methods: what the compiler makes of a method is that method", "[symbols]") {
  CHECK(short_name("instance void [acme] Acme.Orders+<Load>d__3::MoveNext()[Tier0]") == "Acme.Orders.Load");
  CHECK(short_name("instance int32 [acme] Acme.Orders+<>c::<Sort>b__1_0(int32,int32)[Tier0]") ==
        "Acme.Orders.Sort (lambda)");
  CHECK(short_name("instance int32 [acme] Acme.Orders+<>c__DisplayClass2_0::<Sort>b__0(int32)[Tier0]") ==
        "Acme.Orders.Sort (lambda)");
  CHECK(short_name("int32 [acme] Acme.Orders::<Sort>m__0(int32,int32)[Tier0]") == "Acme.Orders.Sort (lambda)");
  CHECK(short_name("int32 [acme] Acme.Orders::<Sort>g__Key|1_0(int32)[Tier0]") == "Acme.Orders.Sort.Key");
  CHECK(short_name("instance void [acme] Acme.Orders+<>c+<<Run>b__0_0>d::MoveNext()[Tier0]") ==
        "Acme.Orders.Run (lambda)");
}

TEST_CASE(".NET's methods: stubs, and what is no method", "[symbols]") {
  const auto stub = symbols::dotnet_method("stub<12> GenerateDispatchStub<GenerateDispatchStub>");
  REQUIRE(stub);
  CHECK(stub->short_name == "(.NET stub GenerateDispatchStub)");
  CHECK(stub->assembly.empty());
  for (const char* other :
       {"", "stub<", "stub<1>", "stub<1> ", "a::b", "void Words::Fib(int32)", "[]", "] ::(", "[a] ::()", "[a] b::()",
        "[] a::b()", "long Work.sum(int)", "std::vector<int>::push_back(int)"})
    CHECK_FALSE(symbols::dotnet_method(other));
}

TEST_CASE(".NET's own assemblies", "[symbols]") {
  for (const char* own : {"System.Private.CoreLib.dll", "System.dll", "Microsoft.AspNetCore.Http", "mscorlib"})
    CHECK(symbols::is_of_dotnet_itself(own));
  for (const char* other : {"acme.dll", "Systematic.dll", "Newtonsoft.Json.dll", ""})
    CHECK_FALSE(symbols::is_of_dotnet_itself(other));
}
