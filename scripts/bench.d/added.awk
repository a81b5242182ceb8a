# From lines "NAME VARIANT VALUE" of the variants bare, calls and cProfile: what calls adds to bare, as a part of what
# cProfile adds, by medians.
END {
  printf "%-32s %12s %12s %8s\n", "added milliseconds", "calls", "cProfile", "ratio"
  for (i = 1; i <= names; ++i) {
    bare = median(order[i], "bare")
    ours = median(order[i], "calls") - bare
    theirs = median(order[i], "cProfile") - bare
    printf "%-32s %12.3f %12.3f %8.2f\n", order[i], ours, theirs, ours / theirs
  }
}
