// The fake GPU of tests/fakes: programs that run on it, and its ledger, which says what really happened.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/command.hpp"
#include "tests/support/report.hpp"

namespace prof::test {

// Lets a command find the fake driver and the toolkits of these major versions (11, 12, 13), the first one first, and
// keep its ledger in that file.
Command with_gpu(Command command, const std::filesystem::path& ledger, const std::vector<int>& toolkits = {12},
                 bool driver = true);
std::filesystem::path fakes_dir();

// What was done with one kind of thing. Times are the device's, or of the calls on the host.
struct Tally {
  long long count = 0, failed = 0, bytes = 0, total_ns = 0;
};

// Lines that a process, or every process (pid 0), wrote.
class Ledger {
 public:
  explicit Ledger(const std::filesystem::path& file, long pid = 0);

  const std::vector<Json>& lines() const { return lines_; }
  // Lines of a type: "call", "work", "alloc", "free", "dropped", "untimed", "misuse", "injection".
  std::vector<Json> of(const std::string& type) const;

  // The program's own calls of a function.
  Tally calls(const std::string& function) const;
  // Names of the functions that the program itself called, in order of their names.
  std::vector<std::string> functions(const std::string& domain) const;
  // Kernels of a name; all when it is empty. `graphs`: with those of graphs.
  Tally kernels(const std::string& name = "", bool graphs = true) const;
  std::vector<std::string> kernel_names() const;
  // Copies and sets by the names of the report: "HtoD", "DtoH", "DtoD", "HtoH", "PtoP", "memset".
  Tally copies(const std::string& kind) const;

 private:
  std::vector<Json> lines_;
};

// The same of a report. Zero where it has no such row; fails the test where it says null.
Tally reported_calls(const Report& report, const std::string& function, const std::string& library = "CUDA runtime");
Tally reported_kernels(const Report& report, const std::string& name = "");
Tally reported_copies(const Report& report, const std::string& kind);

// Sum of a figure over the sites of device memory ("segments" or "tensors") with a function of that name on the stack.
long long device_memory_of(const Report& report, const std::string& what, const std::string& function,
                           const std::string& figure);

// Fails the test unless the report has every call, kernel and copy of the ledger, with its bytes, and its device time
// to the nanosecond; and no more of them. `device`: also what the device did.
void check_gpu_truth(const Report& report, const Ledger& ledger, bool device = true);

}  // namespace prof::test
