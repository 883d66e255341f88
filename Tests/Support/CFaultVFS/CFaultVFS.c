#include "CFaultVFS.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct faultvfs_rig {
    pthread_mutex_t lock;
    char *folder;
    size_t folder_length;
    struct faultvfs_rig *next;
    int users; /* open files, and whoever watches */

    faultvfs_record *records;
    int64_t count, room;
    struct {
        char *name;
        int is_known; /* the tape has what was in it */
    } *files;
    int32_t file_count;

    int32_t fault, kinds;
    int64_t seen, first, times, failed;
};

/* SQLite's handle of a watched file; the system's own follows in the same memory. */
typedef struct {
    sqlite3_file base;
    faultvfs_rig *rig;
    int32_t number;
    int syncs_folder; /* the next sync covers the file's name too */
    int last_errno;   /* of the last fault */
    sqlite3_file *below;
} watched;

static sqlite3_vfs layer, *below;
static pthread_mutex_t rigs_lock = PTHREAD_MUTEX_INITIALIZER;
static faultvfs_rig *rigs;

static void *need(void *memory) {
    if (!memory) abort();
    return memory;
}

/* ---- rigs ---- */

faultvfs_rig *faultvfs_watch(const char *folder) {
    faultvfs_rig *rig = need(calloc(1, sizeof *rig));
    pthread_mutex_init(&rig->lock, 0);
    rig->folder = need(strdup(folder));
    rig->folder_length = strlen(folder);
    rig->users = 1;
    pthread_mutex_lock(&rigs_lock);
    rig->next = rigs;
    rigs = rig;
    pthread_mutex_unlock(&rigs_lock);
    return rig;
}

static void release(faultvfs_rig *rig) {
    pthread_mutex_lock(&rig->lock);
    int left = --rig->users;
    pthread_mutex_unlock(&rig->lock);
    if (left) return;
    for (int64_t i = 0; i < rig->count; i++) free((void *)rig->records[i].octets);
    for (int32_t i = 0; i < rig->file_count; i++) free(rig->files[i].name);
    free(rig->records);
    free(rig->files);
    free(rig->folder);
    pthread_mutex_destroy(&rig->lock);
    free(rig);
}

void faultvfs_unwatch(faultvfs_rig *rig) {
    pthread_mutex_lock(&rigs_lock);
    for (faultvfs_rig **at = &rigs; *at; at = &(*at)->next)
        if (*at == rig) {
            *at = rig->next;
            break;
        }
    pthread_mutex_unlock(&rigs_lock);
    faultvfs_plan(rig, 0, 0, 0, 0);
    release(rig);
}

/* The rig of a file, with one user more; 0 where nobody watches. */
static faultvfs_rig *rig_of(const char *path) {
    if (!path) return 0;
    pthread_mutex_lock(&rigs_lock);
    faultvfs_rig *rig = rigs;
    while (rig && (strncmp(path, rig->folder, rig->folder_length) || path[rig->folder_length] != '/'))
        rig = rig->next;
    if (rig) {
        pthread_mutex_lock(&rig->lock);
        rig->users++;
        pthread_mutex_unlock(&rig->lock);
    }
    pthread_mutex_unlock(&rigs_lock);
    return rig;
}

/* ---- the tape; under the rig's lock ---- */

static int32_t number_of(faultvfs_rig *rig, const char *path) {
    const char *name = path + rig->folder_length + 1;
    for (int32_t i = 0; i < rig->file_count; i++)
        if (!strcmp(rig->files[i].name, name)) return i;
    rig->files = need(realloc(rig->files, sizeof *rig->files * (size_t)(rig->file_count + 1)));
    rig->files[rig->file_count].name = need(strdup(name));
    rig->files[rig->file_count].is_known = 0;
    return rig->file_count++;
}

static void put(faultvfs_rig *rig, faultvfs_record record, const void *octets) {
    if (rig->count == rig->room) {
        rig->room = rig->room ? rig->room * 2 : 256;
        rig->records = need(realloc(rig->records, sizeof record * (size_t)rig->room));
    }
    record.octets = 0;
    if (octets && record.count > 0) {
        uint8_t *copy = need(malloc((size_t)record.count));
        memcpy(copy, octets, (size_t)record.count);
        record.octets = copy;
    }
    rig->records[rig->count++] = record;
}

/* What the system would have said, for xGetLastError: there too it stays until the next error. */
static int failing(watched *file, int32_t fault, int code) {
    errno = fault == FAULTVFS_EIO ? EIO : fault == FAULTVFS_EROFS ? EROFS : ENOSPC;
    /* The system's own layer remembers no full disk here. */
    if (file && code != SQLITE_FULL) file->last_errno = errno;
    return code;
}

/* Counts an operation. Returns how it fails, 0 if it does not. */
static int32_t fault(faultvfs_rig *rig, int32_t kind, int needs_room) {
    if (!(rig->kinds & kind)) return 0;
    if (++rig->seen < rig->first || rig->seen - rig->first >= rig->times) return 0;
    if ((rig->fault == FAULTVFS_ENOSPC || rig->fault == FAULTVFS_SHORT) && !needs_room) return 0;
    if (rig->fault == FAULTVFS_LIE && kind != FAULTVFS_SYNC) return 0;
    rig->failed++;
    return rig->fault;
}

int64_t faultvfs_count(faultvfs_rig *rig) {
    pthread_mutex_lock(&rig->lock);
    int64_t count = rig->count;
    pthread_mutex_unlock(&rig->lock);
    return count;
}

faultvfs_record faultvfs_at(faultvfs_rig *rig, int64_t place) {
    faultvfs_record none = {0};
    pthread_mutex_lock(&rig->lock);
    if (place >= 0 && place < rig->count) none = rig->records[place];
    pthread_mutex_unlock(&rig->lock);
    return none;
}

const char *faultvfs_name(faultvfs_rig *rig, int32_t file) {
    pthread_mutex_lock(&rig->lock);
    const char *name = file >= 0 && file < rig->file_count ? rig->files[file].name : "";
    pthread_mutex_unlock(&rig->lock);
    return name;
}

void faultvfs_mark(faultvfs_rig *rig, int64_t mark) {
    pthread_mutex_lock(&rig->lock);
    put(rig, (faultvfs_record){.kind = FAULTVFS_MARK, .offset = mark}, 0);
    pthread_mutex_unlock(&rig->lock);
}

void faultvfs_plan(faultvfs_rig *rig, int32_t fault, int32_t kinds, int64_t first, int64_t times) {
    pthread_mutex_lock(&rig->lock);
    rig->fault = fault;
    rig->kinds = kinds;
    rig->first = first;
    rig->times = times;
    rig->seen = rig->failed = 0;
    pthread_mutex_unlock(&rig->lock);
}

int64_t faultvfs_failed(faultvfs_rig *rig) {
    pthread_mutex_lock(&rig->lock);
    int64_t failed = rig->failed;
    pthread_mutex_unlock(&rig->lock);
    return failed;
}

int64_t faultvfs_seen(faultvfs_rig *rig) {
    pthread_mutex_lock(&rig->lock);
    int64_t seen = rig->seen;
    pthread_mutex_unlock(&rig->lock);
    return seen;
}

/* ---- files ---- */

#define FILE_OF(handle) ((watched *)(handle))
#define BELOW(handle) (FILE_OF(handle)->below)

static int close_file(sqlite3_file *handle) {
    int code = BELOW(handle)->pMethods->xClose(BELOW(handle));
    release(FILE_OF(handle)->rig);
    return code;
}

static int read_file(sqlite3_file *handle, void *octets, int count, sqlite3_int64 offset) {
    faultvfs_rig *rig = FILE_OF(handle)->rig;
    pthread_mutex_lock(&rig->lock);
    int32_t fails = fault(rig, FAULTVFS_READ, 0);
    pthread_mutex_unlock(&rig->lock);
    if (fails) return failing(FILE_OF(handle), fails, SQLITE_IOERR_READ);
    return BELOW(handle)->pMethods->xRead(BELOW(handle), octets, count, offset);
}

static int write_file(sqlite3_file *handle, const void *octets, int count, sqlite3_int64 offset) {
    watched *file = FILE_OF(handle);
    faultvfs_rig *rig = file->rig;
    sqlite3_int64 length = 0;
    pthread_mutex_lock(&rig->lock);
    BELOW(handle)->pMethods->xFileSize(BELOW(handle), &length);
    int32_t fails = fault(rig, FAULTVFS_WRITE, offset + count > length);
    int written = !fails ? count : fails == FAULTVFS_SHORT ? count / 2 : 0;
    int code = SQLITE_OK;
    if (written) code = BELOW(handle)->pMethods->xWrite(BELOW(handle), octets, written, offset);
    put(rig,
        (faultvfs_record){.kind = FAULTVFS_WRITE, .file = file->number, .fault = fails, .offset = offset, .count = written},
        octets);
    pthread_mutex_unlock(&rig->lock);
    if (!fails) return code;
    int is_full = fails == FAULTVFS_ENOSPC || fails == FAULTVFS_SHORT;
    return failing(file, fails, is_full ? SQLITE_FULL : SQLITE_IOERR_WRITE);
}

static int truncate_file(sqlite3_file *handle, sqlite3_int64 length) {
    watched *file = FILE_OF(handle);
    pthread_mutex_lock(&file->rig->lock);
    int32_t fails = fault(file->rig, FAULTVFS_TRUNCATE, 0);
    int code = fails ? SQLITE_IOERR_TRUNCATE : BELOW(handle)->pMethods->xTruncate(BELOW(handle), length);
    put(file->rig,
        (faultvfs_record){.kind = FAULTVFS_TRUNCATE, .file = file->number, .fault = fails, .offset = length}, 0);
    pthread_mutex_unlock(&file->rig->lock);
    return fails ? failing(file, fails, code) : code;
}

static int sync_file(sqlite3_file *handle, int flags) {
    (void)flags;
    watched *file = FILE_OF(handle);
    pthread_mutex_lock(&file->rig->lock);
    int32_t fails = fault(file->rig, FAULTVFS_SYNC, 1);
    put(file->rig,
        (faultvfs_record){.kind = FAULTVFS_SYNC, .file = file->number, .fault = fails, .flag = file->syncs_folder}, 0);
    if (!fails) file->syncs_folder = 0;
    pthread_mutex_unlock(&file->rig->lock);
    return fails && fails != FAULTVFS_LIE ? failing(file, fails, SQLITE_IOERR_FSYNC) : SQLITE_OK;
}

static int file_size(sqlite3_file *handle, sqlite3_int64 *length) {
    return BELOW(handle)->pMethods->xFileSize(BELOW(handle), length);
}
static int lock_file(sqlite3_file *handle, int level) { return BELOW(handle)->pMethods->xLock(BELOW(handle), level); }
static int unlock_file(sqlite3_file *handle, int level) {
    return BELOW(handle)->pMethods->xUnlock(BELOW(handle), level);
}
static int check_lock(sqlite3_file *handle, int *out) {
    return BELOW(handle)->pMethods->xCheckReservedLock(BELOW(handle), out);
}
static int control(sqlite3_file *handle, int operation, void *argument) {
    if (operation == SQLITE_FCNTL_LAST_ERRNO && FILE_OF(handle)->last_errno) {
        *(int *)argument = FILE_OF(handle)->last_errno;
        return SQLITE_OK;
    }
    return BELOW(handle)->pMethods->xFileControl(BELOW(handle), operation, argument);
}
static int sector_size(sqlite3_file *handle) { return BELOW(handle)->pMethods->xSectorSize(BELOW(handle)); }
static int characteristics(sqlite3_file *handle) {
    /* Groups of writes that the file system makes atomic would pass the tape by. */
    return BELOW(handle)->pMethods->xDeviceCharacteristics(BELOW(handle)) & ~SQLITE_IOCAP_BATCH_ATOMIC;
}
static int share_map(sqlite3_file *handle, int region, int size, int extends, void volatile **out) {
    faultvfs_rig *rig = FILE_OF(handle)->rig;
    pthread_mutex_lock(&rig->lock);
    int32_t fails = fault(rig, FAULTVFS_SHARE, extends);
    pthread_mutex_unlock(&rig->lock);
    if (fails) return failing(FILE_OF(handle), fails, SQLITE_IOERR_SHMSIZE);
    return BELOW(handle)->pMethods->xShmMap(BELOW(handle), region, size, extends, out);
}
static int share_lock(sqlite3_file *handle, int offset, int count, int flags) {
    return BELOW(handle)->pMethods->xShmLock(BELOW(handle), offset, count, flags);
}
static void share_barrier(sqlite3_file *handle) { BELOW(handle)->pMethods->xShmBarrier(BELOW(handle)); }
static int share_unmap(sqlite3_file *handle, int deletes) {
    return BELOW(handle)->pMethods->xShmUnmap(BELOW(handle), deletes);
}

/* Version 2: without xFetch, since what is written to mapped memory would pass the tape by. */
static const sqlite3_io_methods methods = {
    2,          close_file,  read_file,   write_file, truncate_file, sync_file,
    file_size,  lock_file,   unlock_file, check_lock, control,       sector_size,
    characteristics, share_map, share_lock, share_barrier, share_unmap, 0, 0,
};

/* ---- names ---- */

/* Writes down that a file is open, with what is in it where the tape does not know it. */
static void put_contents(watched *file, int existed) {
    faultvfs_record record = {.kind = FAULTVFS_OPEN, .file = file->number, .flag = existed};
    uint8_t *octets = 0;
    sqlite3_int64 length = 0;
    int is_known = file->rig->files[file->number].is_known;
    if (!is_known && existed && !BELOW(file)->pMethods->xFileSize(BELOW(file), &length) && length > 0) {
        octets = need(malloc((size_t)length));
        if (BELOW(file)->pMethods->xRead(BELOW(file), octets, (int)length, 0) == SQLITE_OK) record.count = length;
    }
    file->rig->files[file->number].is_known = 1;
    put(file->rig, record, octets);
    free(octets);
}

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *handle, int flags, int *out) {
    (void)vfs;
    faultvfs_rig *rig = rig_of(path);
    if (!rig) return below->xOpen(below, path, handle, flags, out);
    watched *file = FILE_OF(handle);
    *file = (watched){.rig = rig, .below = (sqlite3_file *)(file + 1)};
    pthread_mutex_lock(&rig->lock);
    int existed = access(path, F_OK) == 0;
    file->number = number_of(rig, path);
    int32_t fails = fault(rig, FAULTVFS_OPEN, !existed);
    if (fails == FAULTVFS_EROFS && existed) {
        flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
        fails = 0;
    }
    int code = SQLITE_CANTOPEN;
    if (!fails || fails == FAULTVFS_LIE) code = below->xOpen(below, path, file->below, flags, out);
    if (code == SQLITE_OK) {
        file->base.pMethods = &methods;
        /* As the system's own layer does: the first sync of a new log covers its name. */
        int has_name = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL;
        file->syncs_folder = (flags & SQLITE_OPEN_CREATE) && (flags & has_name);
        put_contents(file, existed);
    }
    pthread_mutex_unlock(&rig->lock);
    if (code != SQLITE_OK) release(rig);
    return fails ? failing(0, fails, code) : code;
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
    (void)vfs;
    faultvfs_rig *rig = rig_of(path);
    if (!rig) return below->xDelete(below, path, syncs_folder);
    pthread_mutex_lock(&rig->lock);
    int32_t number = number_of(rig, path);
    int32_t fails = fault(rig, FAULTVFS_DELETE, 0);
    int code = fails ? SQLITE_IOERR_DELETE : below->xDelete(below, path, 0);
    if (code == SQLITE_OK || fails)
        put(rig,
            (faultvfs_record){.kind = FAULTVFS_DELETE, .file = number, .fault = fails, .flag = syncs_folder}, 0);
    pthread_mutex_unlock(&rig->lock);
    release(rig);
    return fails ? failing(0, fails, code) : code;
}

static int access_file(sqlite3_vfs *vfs, const char *path, int flags, int *out) {
    (void)vfs;
    return below->xAccess(below, path, flags, out);
}
static int full_path(sqlite3_vfs *vfs, const char *path, int room, char *out) {
    (void)vfs;
    return below->xFullPathname(below, path, room, out);
}
static int randomness(sqlite3_vfs *vfs, int count, char *out) {
    (void)vfs;
    return below->xRandomness(below, count, out);
}
static int nap(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return below->xSleep(below, microseconds);
}
static int current_time(sqlite3_vfs *vfs, double *out) {
    (void)vfs;
    return below->xCurrentTime(below, out);
}
static int current_time_int(sqlite3_vfs *vfs, sqlite3_int64 *out) {
    (void)vfs;
    return below->xCurrentTimeInt64(below, out);
}
static int last_error(sqlite3_vfs *vfs, int room, char *out) {
    (void)vfs;
    return below->xGetLastError(below, room, out);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int registered;

static void register_layer(void) {
    below = sqlite3_vfs_find(0);
    registered = SQLITE_ERROR;
    if (!below) return;
    layer = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(watched) + below->szOsFile,
        .mxPathname = below->mxPathname,
        .zName = "fault",
        .xOpen = open_file,
        .xDelete = delete_file,
        .xAccess = access_file,
        .xFullPathname = full_path,
        .xRandomness = randomness,
        .xSleep = nap,
        .xCurrentTime = current_time,
        .xGetLastError = last_error,
        .xCurrentTimeInt64 = current_time_int,
    };
    registered = sqlite3_vfs_register(&layer, 1);
}

int faultvfs_register(void) {
    pthread_once(&once, register_layer);
    return registered;
}
