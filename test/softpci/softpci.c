/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a NIC in the process. */
#include "softpci_priv.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_alarm.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct softpci *all[SOFTPCI_MAX];

struct softpci *
softpci_get(unsigned int index)
{
	return index < SOFTPCI_MAX ? all[index] : NULL;
}

struct softpci *
softpci_by_pdev(const struct rte_pci_device *pdev)
{
	unsigned int i;

	for (i = 0; i < SOFTPCI_MAX; i++)
		if (all[i] != NULL && all[i]->pdev == pdev)
			return all[i];
	return NULL;
}

struct softpci *
softpci_by_dev_fd(int fd)
{
	unsigned int i;

	for (i = 0; i < SOFTPCI_MAX; i++)
		if (all[i] != NULL && all[i]->dev_fd == fd)
			return all[i];
	return NULL;
}

static int
map_bar(struct softpci *pci, size_t size)
{
	void *p;

	pci->bar_size = size;
	pci->bar_fd = memfd_create("softpci-bar", MFD_CLOEXEC);
	if (pci->bar_fd < 0 || ftruncate(pci->bar_fd, (off_t)size) != 0)
		return -errno;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, pci->bar_fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	pci->bar_model = p;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, pci->bar_fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	pci->bar_driver = p;
	return 0;
}

static void *
poll_loop(void *arg)
{
	struct softpci *pci = arg;
	unsigned int idle = 0;

	while (!atomic_load_explicit(&pci->poll_stop, memory_order_relaxed)) {
		if (nic_poll(pci->nic))
			idle = 0;
		else if (++idle % 256 == 0) /* the lock is wanted by wires and timers, too */
			usleep(idle < 100000 ? 0 : 20);
	}
	return NULL;
}

static int
start_poll_thread(struct softpci *pci)
{
	sigset_t set, old;
	int rc;

	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	rc = pthread_create(&pci->poll_thread, NULL, poll_loop, pci);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc != 0)
		return -rc;
	pthread_setname_np(pci->poll_thread, "nic-poll");
	pci->poll_run = true;
	return 0;
}

/* Everything but the structure itself; may find any part not there. */
static void
tear_down(struct softpci *pci)
{
	if (pci->poll_run) {
		atomic_store(&pci->poll_stop, true);
		pthread_join(pci->poll_thread, NULL);
		pci->poll_run = false;
	}
	if (pci->nic != NULL) {
		struct nic *nic = pci->nic;

		softpci_stats_get(pci, &pci->last);
		nic_wire_close(nic);
		softpci_trap_remove(pci);
		pthread_mutex_lock(&lock);
		pci->nic = NULL;
		pthread_mutex_unlock(&lock);
		nic_destroy(nic);
	}
	softpci_vfio_close(pci);
	if (pci->bar_driver != NULL)
		munmap(pci->bar_driver, pci->bar_size);
	if (pci->bar_model != NULL)
		munmap(pci->bar_model, pci->bar_size);
	pci->bar_driver = pci->bar_model = NULL;
	if (pci->bar_fd >= 0)
		close(pci->bar_fd);
	pci->bar_fd = -1;
	softpci_clock_put(pci);
}

void
softpci_gone(struct softpci *pci)
{
	pci->port_id = RTE_MAX_ETHPORTS;
	tear_down(pci);
}

static void
release(struct softpci *pci)
{
	pthread_mutex_lock(&lock);
	all[pci->index] = NULL;
	pthread_mutex_unlock(&lock);
	free(pci);
}

static struct softpci *
reserve(void)
{
	struct softpci *pci = calloc(1, sizeof(*pci));
	unsigned int i;

	if (pci == NULL)
		return NULL;
	pci->bar_fd = pci->misc_fd = pci->dev_fd = -1;
	pci->port_id = RTE_MAX_ETHPORTS;
	pthread_mutex_lock(&lock);
	for (i = 0; i < SOFTPCI_MAX && all[i] != NULL; i++)
		;
	if (i < SOFTPCI_MAX) {
		pci->index = i;
		all[i] = pci;
	}
	pthread_mutex_unlock(&lock);
	if (i == SOFTPCI_MAX) {
		free(pci);
		return NULL;
	}
	return pci;
}

/*
 * Threads inherit their creator's cores, and the creator is EAL's main lcore: for the time in which
 * NIC threads are made, this thread leaves the cores that the application polls on, if there are
 * others.
 */
static void
leave_lcores(cpu_set_t *before)
{
	cpu_set_t away;
	unsigned int lcore;
	long cpu;

	pthread_getaffinity_np(pthread_self(), sizeof(*before), before);
	CPU_ZERO(&away);
	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN) && cpu < CPU_SETSIZE; cpu++)
		CPU_SET((size_t)cpu, &away);
	RTE_LCORE_FOREACH(lcore)
	{
		rte_cpuset_t used = rte_lcore_cpuset(lcore);

		for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET((size_t)cpu, &used))
				CPU_CLR((size_t)cpu, &away);
	}
	if (CPU_COUNT(&away) != 0)
		pthread_setaffinity_np(pthread_self(), sizeof(away), &away);
}

static int
build(struct softpci *pci, const struct softpci_conf *conf, const struct nic_model *model,
      char *err, size_t errlen)
{
	uint8_t mac[6] = {0x02, 0, 0, 0, 0, (uint8_t)(pci->index + 1)};
	struct nic_conf nc = {
	    .model = conf->nic != NULL ? conf->nic : "82599",
	    .mac = conf->mac != NULL ? conf->mac : mac,
	    .host = {.dma = softpci_dma, .msix = softpci_msix, .arg = pci},
	    .poll = conf->doorbell == SOFTPCI_DOORBELL_POLL,
	    .trace = conf->trace,
	    .fault = conf->fault,
	};
	int rc;

	snprintf(err, errlen, "no memory");
	pci->doorbell = conf->doorbell;
	pci->vectors = conf->vectors != 0 ? conf->vectors : NIC_VECTORS;
	softpci_dma_init();
	rc = softpci_vfio_init(err, errlen);
	if (rc == 0)
		rc = softpci_clock_get(pci, conf->clock == SOFTPCI_CLOCK_VIRTUAL);
	if (rc == 0)
		rc = map_bar(pci, model->ops->bar_size);
	if (rc == 0)
		rc = softpci_vfio_open(pci, model);
	if (rc != 0)
		return rc;
	nc.clock = pci->clock;
	nc.bar = pci->bar_model;
	pci->nic = nic_create(&nc, err, errlen);
	if (pci->nic == NULL)
		return -ENOMEM;
	rc = nic_wire_open(pci->nic, conf->wire, err, errlen);
	if (rc == 0)
		rc = softpci_trap_add(pci);
	if (rc != 0)
		return rc;
	softpci_trap_calibrate(pci);
	if (conf->doorbell == SOFTPCI_DOORBELL_POLL && conf->poll_thread)
		rc = start_poll_thread(pci);
	return rc;
}

struct softpci *
softpci_open(const struct softpci_conf *conf, char *err, size_t errlen)
{
	const struct nic_model *model = nic_model_find(conf->nic != NULL ? conf->nic : "82599");
	struct softpci *pci;
	cpu_set_t cpus;
	int rc;

	if (model == NULL) {
		snprintf(err, errlen, "no NIC model '%s': have " NIC_MODELS_KNOWN, conf->nic);
		errno = EINVAL;
		return NULL;
	}
	pci = reserve();
	if (pci == NULL) {
		snprintf(err, errlen, "no memory, or %u NICs already", SOFTPCI_MAX);
		errno = ENOSPC;
		return NULL;
	}
	leave_lcores(&cpus);
	rc = build(pci, conf, model, err, errlen);
	pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	if (rc == 0)
		rc = softpci_bus_attach(pci, conf, err, errlen);
	if (rc == 0)
		return pci;
	tear_down(pci);
	release(pci);
	errno = -rc;
	return NULL;
}

int
softpci_close(struct softpci *pci)
{
	int rc;

	if (pci == NULL)
		return 0;
	rc = softpci_bus_detach(pci);
	if (rc < 0)
		return rc;
	tear_down(pci);
	release(pci);
	return 0;
}

uint16_t
softpci_port_id(const struct softpci *pci)
{
	return pci->port_id;
}

struct nic *
softpci_nic(struct softpci *pci)
{
	return pci->nic;
}

const char *
softpci_name(const struct softpci *pci)
{
	return pci->name;
}

bool
softpci_poll(struct softpci *pci)
{
	return pci->nic != NULL && nic_poll(pci->nic);
}

void
softpci_surprise_remove(struct softpci *pci)
{
	size_t at;

	if (pci->nic == NULL)
		return;
	nic_surprise_remove(pci->nic);
	/* Doorbell pages in plain memory must give all ones as well. */
	for (at = 0; pci->doorbell == SOFTPCI_DOORBELL_POLL && at < pci->bar_size; at += 4096)
		mprotect(pci->bar_driver + at, 4096, PROT_NONE);
}

/* What EAL does on VFIO's device request. */
static void
tell_of_removal(void *name)
{
	rte_dev_event_callback_process(name, RTE_DEV_EVENT_REMOVE);
}

int
softpci_unplug(struct softpci *pci)
{
	softpci_surprise_remove(pci);
	return rte_eal_alarm_set(1, tell_of_removal, pci->name);
}

void
softpci_stats_get(struct softpci *pci, struct softpci_stats *stats)
{
	unsigned int i;

	pthread_mutex_lock(&lock);
	if (pci->nic == NULL) {
		*stats = pci->last;
		pthread_mutex_unlock(&lock);
		return;
	}
	memset(stats, 0, sizeof(*stats));
	nic_stats_get(pci->nic, &stats->nic);
	nic_wire_stats_get(pci->nic, &stats->wire);
	pthread_mutex_unlock(&lock);
	stats->trap_reads = atomic_load(&pci->trap_reads);
	stats->trap_writes = atomic_load(&pci->trap_writes);
	stats->trap_ns = atomic_load(&pci->trap_ns);
	stats->empty_trap_ns = pci->empty_trap_ns;
	stats->msix_lost = atomic_load(&pci->msix_lost);
	for (i = 0; i < SOFTPCI_PAGES; i++) {
		stats->page_reads[i] = atomic_load(&pci->page_reads[i]);
		stats->page_writes[i] = atomic_load(&pci->page_writes[i]);
	}
	for (i = 0; i < NIC_VECTORS; i++)
		if (atomic_load(&pci->vector_fd[i]) >= 0)
			stats->msix_wired++;
}
