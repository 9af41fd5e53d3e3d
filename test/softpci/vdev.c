/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --vdev=softpci0,nic=82599,driver=net_ixgbe,wire=tap:h0@ns1,clock=real,doorbell=trap,fault=none,trace=0
 * What is not a key of softpci's is an argument of the PCI driver: aim=fixed,itr_us=500.
 */
#include "softpci_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bus_vdev_driver.h>
#include <rte_eal.h>

#define VDEV_MAX 64u

/* Which NIC a virtual device made. */
static struct {
	struct rte_vdev_device *vdev;
	struct softpci *pci;
} made[VDEV_MAX];

static int
parse_mac(const char *text, uint8_t mac[6])
{
	unsigned int b[6], i;
	char rest;

	if (sscanf(text, "%x:%x:%x:%x:%x:%x%c", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &rest) !=
	    6)
		return -EINVAL;
	for (i = 0; i < 6; i++) {
		if (b[i] > 0xFF)
			return -EINVAL;
		mac[i] = (uint8_t)b[i];
	}
	return 0;
}

/* A value out of two: 0 or 1, -EINVAL. */
static int
one_of(const char *value, const char *zero, const char *one)
{
	if (strcmp(value, zero) == 0)
		return 0;
	return strcmp(value, one) == 0 ? 1 : -EINVAL;
}

/* 1: not a key of ours. */
static int
take(struct softpci_conf *conf, uint8_t mac[6], const char *key, const char *value)
{
	int n = 0;

	if (strcmp(key, "nic") == 0) {
		conf->nic = value;
	} else if (strcmp(key, "driver") == 0) {
		conf->driver = value;
	} else if (strcmp(key, "wire") == 0) {
		conf->wire = value;
	} else if (strcmp(key, "mac") == 0) {
		n = parse_mac(value, mac);
		conf->mac = mac;
	} else if (strcmp(key, "clock") == 0) {
		n = one_of(value, "real", "virtual");
		conf->clock = n == 1 ? SOFTPCI_CLOCK_VIRTUAL : SOFTPCI_CLOCK_REAL;
	} else if (strcmp(key, "doorbell") == 0) {
		n = one_of(value, "trap", "poll");
		conf->doorbell = n == 1 ? SOFTPCI_DOORBELL_POLL : SOFTPCI_DOORBELL_TRAP;
	} else if (strcmp(key, "fault") == 0) {
		n = nic_fault_find(value, &conf->fault) ? 0 : -EINVAL;
	} else if (strcmp(key, "trace") == 0) {
		n = one_of(value, "0", "1");
		conf->trace = n == 1;
	} else {
		return 1;
	}
	return n < 0 ? n : 0;
}

/* The next key=value; a comma within brackets does not end it. */
static char *
next_pair(char **rest)
{
	char *start = *rest, *p;
	int depth = 0;

	if (start == NULL || *start == '\0')
		return NULL;
	for (p = start; *p != '\0' && (*p != ',' || depth > 0); p++)
		depth += *p == '[' ? 1 : *p == ']' ? -1 : 0;
	*rest = *p != '\0' ? p + 1 : p;
	*p = '\0';
	return start;
}

static int
probe(struct rte_vdev_device *vdev)
{
	const char *name = rte_vdev_device_name(vdev), *text = rte_vdev_device_args(vdev);
	struct softpci_conf conf = {.poll_thread = true};
	char err[256], *copy, *rest, *pair, *others;
	struct softpci *pci;
	unsigned int slot;
	uint8_t mac[6];
	int rc = 0;

	if (rte_eal_process_type() != RTE_PROC_PRIMARY)
		return -ENOTSUP;
	for (slot = 0; slot < VDEV_MAX && made[slot].vdev != NULL; slot++)
		;
	copy = strdup(text != NULL ? text : "");
	others = calloc(1, strlen(text != NULL ? text : "") + 2);
	if (copy == NULL || others == NULL || slot == VDEV_MAX) {
		free(copy);
		free(others);
		return -ENOMEM;
	}
	rest = copy;
	while (rc >= 0 && (pair = next_pair(&rest)) != NULL) {
		char *eq = strchr(pair, '=');

		if (eq != NULL)
			*eq = '\0';
		rc = take(&conf, mac, pair, eq != NULL ? eq + 1 : "");
		if (rc < 0) {
			nic_log("softpci: %s: bad value '%s' of %s", name, eq != NULL ? eq + 1 : "",
				pair);
		} else if (rc > 0) {
			if (eq != NULL)
				*eq = '=';
			if (*others != '\0')
				strcat(others, ",");
			strcat(others, pair);
		}
	}
	if (rc >= 0) {
		conf.devargs = others;
		pci = softpci_open(&conf, err, sizeof(err));
		rc = pci != NULL ? 0 : -errno;
		if (pci != NULL) {
			made[slot].vdev = vdev;
			made[slot].pci = pci;
		} else {
			nic_log("softpci: %s: %s", name, err);
		}
	}
	free(copy);
	free(others);
	return rc;
}

static int
remove_vdev(struct rte_vdev_device *vdev)
{
	unsigned int i;
	int rc;

	for (i = 0; i < VDEV_MAX; i++) {
		if (made[i].vdev != vdev)
			continue;
		rc = softpci_close(made[i].pci);
		if (rc == 0)
			made[i].vdev = NULL;
		return rc;
	}
	return 0;
}

static struct rte_vdev_driver softpci_vdev = {
    .probe = probe,
    .remove = remove_vdev,
};

RTE_PMD_REGISTER_VDEV(softpci, softpci_vdev);
RTE_PMD_REGISTER_PARAM_STRING(
    softpci, "nic=<model> driver=<pci driver> wire=<kind:options> mac=<address> "
	     "clock=<real|virtual> doorbell=<trap|poll> fault=<none|nvm|reset|dead> trace=<0|1>");
