/* A batch as the ResourceLogs of an ExportLogsServiceRequest (opentelemetry-proto 1.11), with one
   scope. */
#ifndef OTLP_H
#define OTLP_H
#include "batch.h"

/* The field of the request that holds it: such fields one after the other are a request, too. */
char *write_resource_logs(const struct batch *batch, char *out);
/* An element of `resourceLogs` in the JSON mapping. */
char *write_resource_logs_json(const struct batch *batch, char *out);

#endif
