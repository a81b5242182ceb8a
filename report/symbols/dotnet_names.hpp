// Names of .NET's methods, as its runtime lists them for perf.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prof::symbols {

struct DotnetMethod {
  std::string name;        // "Acme.Orders.Total(string,!0)": with its parameters
  std::string short_name;  // "Acme.Orders.Total"
  std::string assembly;    // "acme", without ".dll"; empty: a stub of the runtime's
};

// Of "instance int32 [acme] Acme.Orders::Total(string,!0)[OptimizedTier1]", a line's name with DOTNET_PerfMapEnabled=1;
// nothing where it has not that form. A method compiled several times has the same name each time. Of what the C#
// compiler makes, the short name is that of the method which it was made of: of "Acme.Orders+<Load>d__3::MoveNext()"
// "Acme.Orders.Load", of "Acme.Orders+<>c::<Sort>b__1_0(...)" (Mono's compiler: "<Sort>m__0") "Acme.Orders.Sort
// (lambda)", of "Acme.Orders::<Sort>g__Key|1_0(...)" "Acme.Orders.Sort.Key". Type arguments are left out. Stubs,
// "stub<12> GenerateDispatchStub<GenerateDispatchStub>", are "(.NET stub GenerateDispatchStub)". Sources: coreclr's
// perfmap.cpp; Roslyn's GeneratedNames.cs; Mono's mcs/anonymous.cs.
std::optional<DotnetMethod> dotnet_method(std::string_view name);

// Whether the assembly is one of .NET's own.
bool is_of_dotnet_itself(std::string_view assembly);

}  // namespace prof::symbols
