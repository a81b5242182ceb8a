#!/bin/bash
# Builds a small C++ project with its makefile, as its README says: make
set -e
mkdir proj && cd proj
for i in 1 2 3 4 5 6; do
cat > part$i.cpp <<X
#include <map>
#include <string>
#include <vector>
#include <algorithm>
int part$i(int n) {
    std::map<std::string, std::vector<int>> m;
    for (int i = 0; i < n; ++i) m[std::to_string(i % 13)].push_back(i * $i);
    int s = 0;
    for (auto& kv : m) { std::sort(kv.second.begin(), kv.second.end()); s += kv.second.back(); }
    return s;
}
X
done
cat > main.cpp <<X
#include <cstdio>
int part1(int); int part2(int); int part3(int); int part4(int); int part5(int); int part6(int);
int main() { printf("%d\n", part1(9) + part2(9) + part3(9) + part4(9) + part5(9) + part6(9)); }
X
cat > Makefile <<'X'
OBJS = part1.o part2.o part3.o part4.o part5.o part6.o main.o
app: $(OBJS)
	g++ -o $@ $(OBJS)
%.o: %.cpp
	g++ -O2 -c -o $@ $<
X
a=$EPOCHREALTIME
make          # FAULT jobs-one-by-one
b=$EPOCHREALTIME
./app
c=$EPOCHREALTIME
g++ -o again part?.o main.o
d=$EPOCHREALTIME
echo "truth $(echo "scale=3; ($b - $a - ($d - $c)) / 2" | bc)"  # half of what the objects take
