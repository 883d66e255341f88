#include "maker.h"
#include "fail.h"
#include "text.h"
#include <libdeflate.h>

struct maker maker_new(struct workload workload, const struct form *form, int batches) {
    size_t inflated = 64 + batch_room(workload.events) * (size_t)batches;
    struct maker m = {
        .workload = workload,
        .form = form,
        .batches = batches,
        .compressor = libdeflate_alloc_compressor(6),
        .batch.events = calloc((size_t)workload.events, sizeof(struct event)),
        .inflated = malloc(inflated)};
    m.room = libdeflate_gzip_compress_bound(m.compressor, inflated);
    m.gzip = malloc(m.room);
    if (!m.compressor || !m.batch.events || !m.inflated || !m.gzip)
        fail(71, "load: no memory for a batch");
    return m;
}

void maker_free(struct maker *m) {
    libdeflate_free_compressor(m->compressor);
    free(m->batch.events), free(m->inflated), free(m->gzip);
}

size_t make_body(struct maker *m, int number, size_t *inflated) {
    char *p = put(m->inflated, m->form->start);
    for (int i = 0; i < m->batches; i++) {
        if (i) p = put(p, m->form->between);
        draw_batch(&m->workload, (uint64_t)number * (uint64_t)m->batches + (uint64_t)i, &m->batch);
        p = m->form->write(&m->batch, p);
    }
    p = put(p, m->form->end);
    *inflated = (size_t)(p - m->inflated);
    return libdeflate_gzip_compress(m->compressor, m->inflated, *inflated, m->gzip, m->room);
}
