// A library whose segments stand far apart, as those of many wheels do: in between is memory that nobody can read.
int kept = 1;

int of_hole(void) { return kept; }
