/* SPDX-License-Identifier: BSD-3-Clause */
#include "result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIGURE(field, unit, decimals, help) \
	{ \
#field, unit, help, offsetof(struct result, field), decimals, false \
	}
#define FIGURE_IF(field, unit, decimals, help) \
	{ \
#field, unit, help, offsetof(struct result, field), decimals, true \
	}

const struct result_figure result_figures[] = {
    FIGURE(pps, "1/s", 1, "packets, or transactions, that reached the application"),
    FIGURE(mbps, "Mb/s", 1, "their payload"),
    FIGURE(irqs, "1/s", 1, "interrupts"),
    FIGURE(packets_irq, "", 2, "packets an interrupt"),
    FIGURE(spurious, "1/s", 1, "interrupts that found nothing"),
    FIGURE(writes, "1/s", 1, "writes of the throttle register"),
    FIGURE(cpu, "%", 2, "of one CPU; above 100: irq_ns is longer than wake_ns, and does not fit"),
    FIGURE(lost_ring, "", 0, "packets lost at the ring"),
    FIGURE(lost_sink, "", 0, "packets lost behind it, the application's buffer being full"),
    FIGURE_IF(mean_us, "us", 2, "latency, mean: in memory to processed; loops: the round trip"),
    FIGURE_IF(p50_us, "us", 2, "latency, median"),
    FIGURE_IF(p99_us, "us", 2, "latency of 99 % of the packets at most"),
    FIGURE_IF(p999_us, "us", 2, "latency of 99.9 % of the packets at most"),
    FIGURE_IF(cost, "x opt", 3, "interrupts and waiting over those of the offline optimum"),
    FIGURE(interval_min_us, "us", 3, "shortest throttle that was set"),
    FIGURE(interval_max_us, "us", 3, "longest throttle that was set"),
    FIGURE_IF(follow_ms, "ms", 3, "after a change of rate: time until the throttle fits it"),
    {.name = NULL},
};

double
result_get(const struct result *r, const struct result_figure *f)
{
	double value;

	memcpy(&value, (const char *)r + f->offset, sizeof(value));
	return value == 0 && f->zero_is_none ? NAN : value;
}

const struct result_figure *
result_figure_find(const char *name)
{
	for (const struct result_figure *f = result_figures; f->name != NULL; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

void
result_free(struct result *r)
{
	free(r->slices);
	r->slices = NULL;
	r->slices_n = 0;
}
