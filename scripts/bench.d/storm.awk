# From lines "NAME VARIANT VALUE" with the variants bare, libprof, exact and, where they are installed, heaptrack,
# jemalloc and jemalloc-prof: what each profiler adds to a pair, by medians; the last against jemalloc alone.
function added(name, variant, base) {
  return count[name, variant] && count[name, base] ? median(name, variant) - median(name, base) : "none"
}
function cell(value, width, digits) {
  return value == "none" ? sprintf("%" width "s", "-") : sprintf("%" width "." digits "f", value)
}

END {
  printf "%-26s %9s %9s %9s %10s %14s\n", "nanoseconds added", "libprof", "exact", "heaptrack", "jemalloc's", "exact/heaptrack"
  for (i = 1; i <= names; ++i) {
    exact = added(order[i], "exact", "bare")
    theirs = added(order[i], "heaptrack", "bare")
    printf "%-26s %s %s %s %s %s\n", order[i], cell(added(order[i], "libprof", "bare"), 9, 1), cell(exact, 9, 1),
      cell(theirs, 9, 1), cell(added(order[i], "jemalloc-prof", "jemalloc"), 10, 1),
      cell(theirs == "none" || theirs <= 0 ? "none" : exact / theirs, 14, 3)
  }
}
