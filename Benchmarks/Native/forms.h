/* The forms in which batches go to a server. */
#ifndef FORMS_H
#define FORMS_H
#include "batch.h"
#include <stddef.h>

struct form {
    const char *name, *type, *encoding;
    int is_sealed, is_otlp;
    const char *start, *between, *end; /* of the batches in a body */
    char *(*write)(const struct batch *batch, char *out);
    const char *answer; /* the body of a right answer; NULL: that of a batch, with its count */
};

/* Room that one batch may take in any form. */
static inline size_t batch_room(int events) { return 2048 + (size_t)events * 512; }

/* NULL where there is no form of that name. */
const struct form *form_named(const char *name);

#endif
