// The other one; see plugin_turn_a.
#include "turns.h"

void other_turn(int n) { take_turn(n); }
void turn(int n) { other_turn(n); }
