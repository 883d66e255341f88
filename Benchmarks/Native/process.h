/* What processes and the machine have used, as /proc tells it; seconds of CPU. */
#ifndef PROCESS_H
#define PROCESS_H

double process_cpu(int pid);
double machine_cpu(void);
double own_cpu(void);
/* Greatest resident memory so far, KiB; 0 where it is not known. */
long process_peak_kib(int pid);

#endif
