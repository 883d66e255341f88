#include "process.h"
#include "fail.h"
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

double process_cpu(int pid) {
    char path[64], line[1024], *p;
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    if (!f || !fgets(line, sizeof line, f) || !(p = strrchr(line, ')')))
        fail(64, "no process %d", pid);
    fclose(f);
    if (sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
        fail(70, "%s is not understood", path);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

double machine_cpu(void) {
    unsigned long user, nice, system, idle, wait, irq, softirq, busy = 0;
    FILE *f = fopen("/proc/stat", "r");
    if (f && fscanf(
                 f, "cpu %lu %lu %lu %lu %lu %lu %lu", &user, &nice, &system, &idle, &wait, &irq,
                 &softirq) == 7)
        busy = user + nice + system + irq + softirq;
    if (f) fclose(f);
    return (double)busy / (double)sysconf(_SC_CLK_TCK);
}

double own_cpu(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

long process_peak_kib(int pid) {
    char path[64], line[256];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %ld", &kib) == 1) break;
    if (f) fclose(f);
    return kib;
}
