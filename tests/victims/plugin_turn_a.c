// One of two libraries of one size, which take turns at one address.
#include "turns.h"

void first_turn(int n) { take_turn(n); }
void turn(int n) { first_turn(n); }
