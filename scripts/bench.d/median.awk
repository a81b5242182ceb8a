# Collects lines "NAME VARIANT VALUE"; names in their order, and medians by name and variant.
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
