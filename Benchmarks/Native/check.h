/* What does not refuse what the contract refuses is fast for nothing: the scan is tried on both
 * kinds of text. */
#ifndef CHECK_H
#define CHECK_H
#include "scan.h"

/* Ends the program where the scan says anything else than it should. */
void check_scan(struct scanned *out, int64_t now);

#endif
