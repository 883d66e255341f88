/* How often this program has asked for memory, in all its threads. */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H
#include <stdint.h>

uint64_t allocations_so_far(void);

#endif
