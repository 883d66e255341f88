/* What devices are and say, shared by the batches of `load` and the population of `population`. */
#ifndef WORDS_H
#define WORDS_H

struct platform {
    const char *os, *version, *update, *model, *maker;
};

enum { PLATFORMS = 6, RELEASES = 6, SCREENS = 16, COUNTERS = 12 };

extern const struct platform platforms[PLATFORMS];
extern const char *const releases[RELEASES]; /* oldest first */
extern const char *const screens[SCREENS];
extern const char *const counters[COUNTERS];

#endif
