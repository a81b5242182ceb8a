# Reads lines "ITEM VARIANT VALUE" and prints one row per item and variant: median, spread, and against the variant
# `base` the difference and the ratio of the medians. Spread is half the distance between the quartiles, in percent of
# the median.
function quantile(list, n, q,   at, low) {
  at = 1 + (n - 1) * q
  low = int(at)
  return low >= n ? list[n] : list[low] + (at - low) * (list[low + 1] - list[low])
}
function sort(list, n,   i, j, v) {
  for (i = 2; i <= n; i++) {
    v = list[i]
    for (j = i - 1; j >= 1 && list[j] > v; j--) list[j + 1] = list[j]
    list[j + 1] = v
  }
}
function row(item, variant,   key, n, i, list, median, against) {
  key = item SUBSEP variant
  n = count[key]
  for (i = 1; i <= n; i++) list[i] = values[key, i]
  sort(list, n)
  median = quantile(list, n, 0.5)
  if (variant == base) reference[item] = median
  against = variant == base || !reference[item] \
    ? sprintf("%12s %8s", "-", "-") \
    : sprintf("%+12.2f %8.3f", median - reference[item], median / reference[item])
  printf "%-26s %-12s %12.2f %7.1f%% %s %5d\n", item, variant, median,
    median ? 50 * (quantile(list, n, 0.75) - quantile(list, n, 0.25)) / median : 0, against, n
}
NF == 3 {
  if (!(($1, $2) in count) && !($1 in seen)) {
    seen[$1] = 1
    items[++item_count] = $1
  }
  if (!($2 in known)) {
    known[$2] = 1
    variants[++variant_count] = $2
  }
  values[$1, $2, ++count[$1, $2]] = $3 + 0
}
END {
  for (i = 1; i <= item_count; i++)
    for (v = 1; v <= variant_count; v++)
      if ((items[i], variants[v]) in count) row(items[i], variants[v])
}
