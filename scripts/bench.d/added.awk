# From lines "NAME VARIANT VALUE" of the variants bare, calls and cProfile: what calls adds to bare, as a part of what
# cProfile adds, by medians.
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

END {
  printf "%-32s %12s %12s %8s\n", "added milliseconds", "calls", "cProfile", "ratio"
  for (i = 1; i <= names; ++i) {
    bare = median(order[i], "bare")
    ours = median(order[i], "calls") - bare
    theirs = median(order[i], "cProfile") - bare
    printf "%-32s %12.3f %12.3f %8.2f\n", order[i], ours, theirs, ours / theirs
  }
}
