#ifndef SOJOURN_CFAULTVFS_H
#define SOJOURN_CFAULTVFS_H

#include <stdint.h>

/* A layer between SQLite and the system's files, for tests alone. What SQLite does to the files of a
 * watched folder is written down on a tape, from which a test works out what a power cut would have
 * left; and it can be made to fail. A sync of a watched file is only written down: nothing waits for a
 * disk. Files elsewhere are none of its business. */

/* One watched folder. */
typedef struct faultvfs_rig faultvfs_rig;

/* What happened; each is a bit, so that a plan can name several. */
enum {
    FAULTVFS_OPEN = 1,
    FAULTVFS_WRITE = 2,
    FAULTVFS_TRUNCATE = 4,
    FAULTVFS_SYNC = 8,
    FAULTVFS_DELETE = 16,
    FAULTVFS_READ = 32,
    FAULTVFS_SHARE = 64,
    FAULTVFS_MARK = 128,
    /* What changes files, and what one begins with. */
    FAULTVFS_CHANGES = 31,
};

/* How an operation fails. */
enum {
    FAULTVFS_EIO = 1,
    /* Only what needs room: writes that make a file longer, syncs, new files, shared memory. */
    FAULTVFS_ENOSPC = 2,
    /* The same, after half of the octets have been written. */
    FAULTVFS_SHORT = 3,
    /* Nothing can be changed; files open for reading only. */
    FAULTVFS_EROFS = 4,
    /* It claims to have worked: a sync does nothing. */
    FAULTVFS_LIE = 5,
};

/* One line of the tape. `octets` stays where it is until the folder is no longer watched. */
typedef struct {
    int32_t kind;
    /* Which file: an index for faultvfs_name. */
    int32_t file;
    /* FAULTVFS_EIO and so on where it failed, else 0. */
    int32_t fault;
    /* OPEN: the file was there. SYNC: the folder is synced too. DELETE: likewise. */
    int32_t flag;
    /* WRITE: where. TRUNCATE: the new length. MARK: as given. */
    int64_t offset;
    /* WRITE: what. OPEN: what was in the file. */
    int64_t count;
    const uint8_t *octets;
} faultvfs_record;

/* Puts the layer over the system's files, for all connections opened from now on. Once is enough.
 * Returns a result code of SQLite. */
int faultvfs_register(void);

/* Watches the files whose names begin with `folder` and a slash. */
faultvfs_rig *faultvfs_watch(const char *folder);
/* Files that are still open work on, unwatched; the tape goes with the last of them. */
void faultvfs_unwatch(faultvfs_rig *rig);

int64_t faultvfs_count(faultvfs_rig *rig);
faultvfs_record faultvfs_at(faultvfs_rig *rig, int64_t place);
/* A file's name without its folder. */
const char *faultvfs_name(faultvfs_rig *rig, int32_t file);

/* A line of the test's own: what it has been told by now. */
void faultvfs_mark(faultvfs_rig *rig, int64_t mark);

/* From the `first` operation of one of `kinds` on, counted from now and from 1, `times` of them fail;
 * 0 times: no more faults. */
void faultvfs_plan(faultvfs_rig *rig, int32_t fault, int32_t kinds, int64_t first, int64_t times);
/* How many operations the plan has made fail. */
int64_t faultvfs_failed(faultvfs_rig *rig);
/* How many operations of its kinds the plan has seen. */
int64_t faultvfs_seen(faultvfs_rig *rig);

#endif
