#include <sqlite3.h>

/* sqlite3_config and sqlite3_db_config are variadic: Swift cannot call them. */
static inline int sojourn_sqlite_config(int option, int value) {
    return sqlite3_config(option, value);
}

static inline int sojourn_sqlite_db_config(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

/* SQLITE_STATIC and SQLITE_TRANSIENT are casts to a function pointer: Swift does not import them. */
static inline int sojourn_sqlite_bind_text(sqlite3_stmt *s, int at, const char *text, sqlite3_uint64 count, int copies) {
    return sqlite3_bind_text64(s, at, text, count, copies ? SQLITE_TRANSIENT : SQLITE_STATIC, SQLITE_UTF8);
}

static inline int sojourn_sqlite_bind_blob(sqlite3_stmt *s, int at, const void *blob, sqlite3_uint64 count, int copies) {
    return sqlite3_bind_blob64(s, at, blob, count, copies ? SQLITE_TRANSIENT : SQLITE_STATIC);
}

/* What the system said below the last failing call; 0 where it said nothing. A COMMIT that fails leaves
 * sqlite3_system_errno as it was, so the log's own file is asked, then the database's. */
static inline int sojourn_sqlite_errno(sqlite3 *db) {
    static const int files[] = {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER};
    int code = sqlite3_system_errno(db);
    for (int i = 0; i < 2 && code == 0; i++) {
        sqlite3_file *file = 0;
        if (sqlite3_file_control(db, "main", files[i], &file) != SQLITE_OK) continue;
        if (file && file->pMethods) file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &code);
    }
    return code;
}
