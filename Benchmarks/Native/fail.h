/* Ends the program with one line on standard error; exit codes as in sysexits.h. */
#ifndef FAIL_H
#define FAIL_H
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn, format(printf, 2, 3))) static inline void fail(
    int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(code);
}

#endif
