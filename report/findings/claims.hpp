// What findings claim of a run: its time and its memory.
#pragma once

#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// Lets the same second be claimed once: of findings that name a line together and claim more than went by at their
// lines, the larger one stays, or the more telling one of two that are about as large, and says in its words what the
// other one was. General findings (Finding::general) are left alone. `findings` are in the order of the rules, causes
// first.
void claim_once(const Evidence& evidence, std::vector<Finding>& findings);

// Takes off from general findings what others claim at lines that they name: a part that is told with its cause is not
// told of once more. Where little is left, the general one goes.
void take_off_specials(std::vector<Finding>& findings);

// Leaves to symptoms (Finding::symptom) what the time that savings are told of has beside what causes claim of it,
// wherever their lines are. Where hardly anything is left, the largest cause says in its words what the symptom was.
void take_off_causes(const Evidence& evidence, std::vector<Finding>& findings);

// Of findings in the order of what they save: symptoms go behind causes, whatever they claim, since they do not say
// what to change.
void put_causes_first(std::vector<Finding>& findings);

}  // namespace prof::findings
