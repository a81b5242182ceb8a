#!/bin/sh
# Builds a small program of several sources with make, as many jobs at once as there are processors, and runs it.
set -eu

PARTS="alpha beta gamma delta epsilon zeta"

write_part() {
  cat > "$1.cpp" <<EOF
#include "parts.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>

namespace {
struct Row {
  std::string name;
  long value;
};

std::vector<Row> rows() {
  std::vector<Row> rows;
  unsigned state = ${#1};
  for (int i = 0; i < 20000; ++i) {
    state = state * 1103515245u + 12345u;
    std::ostringstream name;
    name << "$1-" << state % 500;
    rows.push_back({name.str(), long(state % 1000)});
  }
  return rows;
}
}  // namespace

long $1(std::vector<std::string>& out) {
  std::map<std::string, std::vector<long>> groups;
  for (const Row& row : rows()) groups[row.name].push_back(row.value);
  long best = 0;
  for (auto& [name, values] : groups) {
    std::sort(values.begin(), values.end());
    long sum = std::accumulate(values.begin(), values.end(), 0L);
    if (sum > best) {
      best = sum;
      out.push_back(name);
    }
  }
  return best;
}
EOF
}

write_rest() {
  {
    echo "#pragma once"
    echo "#include <string>"
    echo "#include <vector>"
    for part in $PARTS; do echo "long $part(std::vector<std::string>& out);"; done
  } > parts.h
  {
    echo '#include "parts.h"'
    echo '#include <cstdio>'
    echo 'int main() {'
    echo '  std::vector<std::string> out;'
    for part in $PARTS; do printf '  printf("%%s %%ld\\n", "%s", %s(out));\n' "$part" "$part"; done
    printf '%s\n' '  printf("names %zu last %s\n", out.size(), out.back().c_str());'
    echo '}'
  } > main.cpp
  {
    echo "OBJECTS = main.o $(for part in $PARTS; do printf '%s.o ' "$part"; done)"
    echo "CXXFLAGS = -O2 -g -std=c++17"
    echo "program: \$(OBJECTS)"
    printf '\t$(CXX) -o $@ $(OBJECTS)\n'
    echo "\$(OBJECTS): parts.h"
  } > Makefile
}

for part in $PARTS; do
  write_part "$part"
done
write_rest
make -s -j "$(nproc)" program
./program
rm -f program Makefile parts.h ./*.cpp ./*.o
