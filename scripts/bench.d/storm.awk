# From lines "NAME VARIANT VALUE" with the variants bare, libprof, exact and, where they are installed, heaptrack,
# jemalloc and jemalloc-prof: what each profiler adds to a pair, by medians; the last against jemalloc alone.
{ values[$1, $2, ++count[$1, $2]] = $3 }
!($1 in seen) { seen[$1]; order[++names] = $1 }

function median(name, variant,    n, i, j, v, sorted) {
  n = count[name, variant]
  for (i = 1; i <= n; ++i) {
    v = values[name, variant, i]
    for (j = i - 1; j >= 1 && sorted[j] > v; --j) sorted[j + 1] = sorted[j]
    sorted[j + 1] = v
  }
  return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}
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
