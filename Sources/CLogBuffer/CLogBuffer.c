#include "CLogBuffer.h"

#include <string.h>

/* 31 pages with what stands before each: about a commit of 64 connections. It is the most that SQLite's
 * own layer writes in one call: of a longer one it takes the length modulo 2^17 (seekAndWriteFd in
 * os_unix.c), and calls the disk full where nothing is left. */
enum { BUFFER = (1 << 17) - 1 };

/* Room for the handle of the layer below, whichever that is when a file is opened. */
enum { ROOM_BELOW = 4096 };

/* SQLite's handle of a log that is written. The handle below follows in the same memory. */
typedef struct {
    sqlite3_file base;
    sqlite3_file *below;
    unsigned char *bytes; /* null until something is written */
    int count;
    int passes;           /* nothing is gathered */
    sqlite3_int64 offset; /* of the first of them in the file */
    unsigned long long *steps; /* null where nobody counts them */
} log_file;

static log_file *log_of(sqlite3_file *file) { return (log_file *)file; }

static void count_step(unsigned long long *steps) {
    if (steps) __atomic_fetch_add(steps, 1, __ATOMIC_RELAXED);
}

/* Hands over what is there. What cannot be written is forgotten, as a call that failed is: where it is a
 * write or a sync that fails, SQLite rolls its transaction back, and writes the next one over it. */
static int flush(log_file *log) {
    int count = log->count;
    log->count = 0;
    if (!count) return SQLITE_OK;
    return log->below->pMethods->xWrite(log->below, log->bytes, count, log->offset);
}

/* ---- a log ---- */

static int write_log(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    log_file *log = log_of(file);
    count_step(log->steps);
    if (log->passes) return log->below->pMethods->xWrite(log->below, bytes, count, offset);
    int follows = log->count && log->offset + log->count == offset;
    if (log->count && (!follows || count > BUFFER - log->count)) {
        int code = flush(log);
        if (code != SQLITE_OK) return code;
    }
    if (!log->bytes) log->bytes = sqlite3_malloc(BUFFER);
    if (!log->bytes || count > BUFFER)
        return log->below->pMethods->xWrite(log->below, bytes, count, offset);
    if (!log->count) log->offset = offset;
    memcpy(log->bytes + log->count, bytes, (size_t)count);
    log->count += count;
    return SQLITE_OK;
}

/* A page of a transaction that is larger than SQLite's cache may be read while it is here. */
static int read_log(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    log_file *log = log_of(file);
    count_step(log->steps);
    sqlite3_int64 end = log->offset + log->count;
    if (log->count && offset >= log->offset && offset + count <= end) {
        memcpy(bytes, log->bytes + (offset - log->offset), (size_t)count);
        return SQLITE_OK;
    }
    /* After a read that failed SQLite would go on without what could not be written, unless it is told
     * of an error of the disk. */
    int overlaps = log->count && offset < end && offset + count > log->offset;
    if (overlaps && flush(log) != SQLITE_OK) return SQLITE_IOERR_WRITE;
    return log->below->pMethods->xRead(log->below, bytes, count, offset);
}

static int truncate_log(sqlite3_file *file, sqlite3_int64 length) {
    log_file *log = log_of(file);
    if (log->offset + log->count > length)
        log->count = log->offset < length ? (int)(length - log->offset) : 0;
    int code = flush(log);
    if (code != SQLITE_OK) return code;
    return log->below->pMethods->xTruncate(log->below, length);
}

static int sync_log(sqlite3_file *file, int flags) {
    count_step(log_of(file)->steps);
    int code = flush(log_of(file));
    if (code != SQLITE_OK) return code;
    code = log_of(file)->below->pMethods->xSync(log_of(file)->below, flags);
    count_step(log_of(file)->steps);
    return code;
}

static int size_log(sqlite3_file *file, sqlite3_int64 *length) {
    int code = flush(log_of(file));
    if (code != SQLITE_OK) return code;
    return log_of(file)->below->pMethods->xFileSize(log_of(file)->below, length);
}

/* What no sync has asked for belongs to no commit. */
static int close_log(sqlite3_file *file) {
    sqlite3_free(log_of(file)->bytes);
    return log_of(file)->below->pMethods->xClose(log_of(file)->below);
}

static int lock_log(sqlite3_file *file, int level) {
    return log_of(file)->below->pMethods->xLock(log_of(file)->below, level);
}

static int unlock_log(sqlite3_file *file, int level) {
    return log_of(file)->below->pMethods->xUnlock(log_of(file)->below, level);
}

static int check_lock_of_log(sqlite3_file *file, int *out) {
    return log_of(file)->below->pMethods->xCheckReservedLock(log_of(file)->below, out);
}

static int control_log(sqlite3_file *file, int operation, void *argument) {
    return log_of(file)->below->pMethods->xFileControl(log_of(file)->below, operation, argument);
}

static int sector_size_of_log(sqlite3_file *file) {
    return log_of(file)->below->pMethods->xSectorSize(log_of(file)->below);
}

static int characteristics_of_log(sqlite3_file *file) {
    return log_of(file)->below->pMethods->xDeviceCharacteristics(log_of(file)->below);
}

/* Version 1: a log is neither shared memory nor mapped. */
static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = close_log,
    .xRead = read_log,
    .xWrite = write_log,
    .xTruncate = truncate_log,
    .xSync = sync_log,
    .xFileSize = size_log,
    .xLock = lock_log,
    .xUnlock = unlock_log,
    .xCheckReservedLock = check_lock_of_log,
    .xFileControl = control_log,
    .xSectorSize = sector_size_of_log,
    .xDeviceCharacteristics = characteristics_of_log,
};

/* ---- the layer; all but logs is the business of the one below ---- */

static sqlite3_vfs *below(void) { return sqlite3_vfs_find(0); }

static int open_file(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
    (void)vfs;
    sqlite3_vfs *next = below();
    file->pMethods = 0;
    if (!next || next->szOsFile > ROOM_BELOW) return SQLITE_CANTOPEN;
    if (!(flags & SQLITE_OPEN_WAL) || !(flags & SQLITE_OPEN_READWRITE))
        return next->xOpen(next, path, file, flags, out);
    log_file *log = log_of(file);
    *log = (log_file){.below = (sqlite3_file *)(log + 1)};
    int code = next->xOpen(next, path, log->below, flags, out);
    if (log->below->pMethods) log->base.pMethods = &methods;
    /* Else SQLite fills the last frame's sector up, and writes a part of that after the sync. */
    if (code == SQLITE_OK)
        log->passes = !(characteristics_of_log(file) & SQLITE_IOCAP_POWERSAFE_OVERWRITE);
    return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
    (void)vfs;
    return below()->xDelete(below(), path, syncs_folder);
}

static int access_file(sqlite3_vfs *vfs, const char *path, int flags, int *out) {
    (void)vfs;
    return below()->xAccess(below(), path, flags, out);
}

static int full_path(sqlite3_vfs *vfs, const char *path, int room, char *out) {
    (void)vfs;
    return below()->xFullPathname(below(), path, room, out);
}

static int randomness(sqlite3_vfs *vfs, int count, char *out) {
    (void)vfs;
    return below()->xRandomness(below(), count, out);
}

static int nap(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return below()->xSleep(below(), microseconds);
}

static int current_time(sqlite3_vfs *vfs, double *out) {
    (void)vfs;
    return below()->xCurrentTime(below(), out);
}

static int current_time_int(sqlite3_vfs *vfs, sqlite3_int64 *out) {
    (void)vfs;
    return below()->xCurrentTimeInt64(below(), out);
}

static int last_error(sqlite3_vfs *vfs, int room, char *out) {
    (void)vfs;
    return below()->xGetLastError(below(), room, out);
}

static sqlite3_vfs layer = {
    .iVersion = 2,
    .szOsFile = (int)sizeof(log_file) + ROOM_BELOW,
    .zName = CLOGBUFFER_NAME,
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

/* Null where it has none yet. */
static log_file *log_of_database(sqlite3 *database) {
    sqlite3_file *file = 0;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)) return 0;
    return file && file->pMethods == &methods ? log_of(file) : 0;
}

void clogbuffer_forget(sqlite3 *database) {
    log_file *log = log_of_database(database);
    if (log) log->count = 0;
}

/* Steps of SQLite's machine for which one is counted: some hundred rows. */
enum { STEPS = 4096 };

static int count_statement(void *steps) {
    count_step(steps);
    return 0;
}

void clogbuffer_count(sqlite3 *database, unsigned long long *count) {
    sqlite3_progress_handler(database, count ? STEPS : 0, count ? count_statement : 0, count);
    log_file *log = log_of_database(database);
    if (log) log->steps = count;
}

unsigned long long clogbuffer_counted(const unsigned long long *count) {
    return __atomic_load_n(count, __ATOMIC_RELAXED);
}

int clogbuffer_register(void) {
    if (!below()) return SQLITE_ERROR;
    layer.mxPathname = below()->mxPathname;
    return sqlite3_vfs_register(&layer, 0);
}
