/* SPDX-License-Identifier: BSD-3-Clause */
/* vfu-nic: software NICs for virtual machines. Options, start and end. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vfu_listen.h"
#include "vfu_server.h"

#define EXIT_USAGE 2

struct device {
	const char *socket, *model, *wire;
	uint8_t mac[6];
	bool has_mac, trace;
	enum nic_fault fault;
	struct vfu *vfu;
};

static const char usage_text[] =
    "usage: vfu-nic --socket PATH [option]... [--device --socket PATH [option]...]...\n"
    "\n"
    "Serves a software NIC to a virtual machine as a PCI function (vfio-user), for\n"
    "  qemu-system-x86_64 -object memory-backend-memfd,id=ram,size=2G,share=on \\\n"
    "    -numa node,memdev=ram \\\n"
    "    -device '{\"driver\":\"vfio-user-pci\",\"socket\":{\"type\":\"unix\",\"path\":\"PATH\"}}'\n"
    "When a virtual machine goes the NIC is reset and waits for the next.\n"
    "\n"
    "Options of a device:\n"
    "  --socket PATH    where the virtual machine connects; a stale socket is replaced\n"
    "  --model NAME     82599 (the default), 82599-kx4, x540, x550, enetc, enetc-vf or id=0xNNNN\n"
    "  --mac ADDRESS    default 02:00:00:00:00:01 for the first device, and up\n"
    "  --wire WIRE      null (the default), loop, tap:IFNAME[@NETNS], pcap:in=FILE;out=FILE,\n"
    "                   gen:pps=N, pair:NAME; see doc/guides/howto/software_nic.rst\n"
    "  --fault KIND     none, nvm, reset or dead\n"
    "  --trace          each register access to stderr\n"
    "  --device         what follows is of another device; 8 at most\n"
    "\n"
    "Options of the server:\n"
    "  --control PATH   a socket for commands, a line each, answered by a line of JSON:\n"
    "                   list, stats[,N], report, reset-stats[,N], link down[,N],\n"
    "                   link up [MBPS][,N], go[,N], slow TIMES, remove[,N]\n"
    "  --report FILE    JSON with counters, registers by name and unknown offsets; written at the\n"
    "                   end and on SIGUSR1\n"
    "  --help\n"
    "\n"
    "SIGTERM and SIGINT end it: sockets are removed, a summary is printed. Exit status: 0, 1 for\n"
    "what failed, 2 for a wrong command line.\n";

enum {
	OPT_SOCKET,
	OPT_MODEL,
	OPT_MAC,
	OPT_WIRE,
	OPT_FAULT,
	OPT_TRACE,
	OPT_DEVICE,
	OPT_CONTROL,
	OPT_REPORT,
	OPT_HELP,
};

static const struct option options[] = {
    {"socket", required_argument, NULL, OPT_SOCKET},
    {"model", required_argument, NULL, OPT_MODEL},
    {"mac", required_argument, NULL, OPT_MAC},
    {"wire", required_argument, NULL, OPT_WIRE},
    {"fault", required_argument, NULL, OPT_FAULT},
    {"trace", no_argument, NULL, OPT_TRACE},
    {"device", no_argument, NULL, OPT_DEVICE},
    {"control", required_argument, NULL, OPT_CONTROL},
    {"report", required_argument, NULL, OPT_REPORT},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static struct device devices[VFU_DEVICES];
static unsigned int device_count = 1;
static const char *control_path, *report_path;

static void __attribute__((noreturn, format(printf, 1, 2))) bad_usage(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "vfu-nic: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see vfu-nic --help\n");
	exit(EXIT_USAGE);
}

static bool
parse_mac(const char *text, uint8_t mac[6])
{
	unsigned int b[6], i;
	char rest;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%c", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
		   &rest) != 6)
		return false;
	for (i = 0; i < 6; i++)
		mac[i] = (uint8_t)b[i];
	return (mac[0] & 1) == 0; /* a group has no NIC */
}

static void
next_device(void)
{
	if (devices[device_count - 1].socket == NULL)
		bad_usage("--device: the one before has no --socket");
	if (device_count == VFU_DEVICES)
		bad_usage("--device: %u devices at most", VFU_DEVICES);
	device_count++;
}

static const char *
socket_path(const char *option, const char *path)
{
	if (*path == '\0' || strlen(path) > VFU_PATH_MAX)
		bad_usage("%s '%s': a path of 1 to %u characters", option, path, VFU_PATH_MAX);
	return path;
}

static void
take(int option, const char *value)
{
	struct device *d = &devices[device_count - 1];

	switch (option) {
	case OPT_SOCKET:
		if (d->socket != NULL)
			bad_usage("a second --socket: put --device before it");
		d->socket = socket_path("--socket", value);
		break;
	case OPT_MODEL:
		if (nic_model_find(value) == NULL)
			bad_usage("--model '%s': have " NIC_MODELS_KNOWN, value);
		d->model = value;
		break;
	case OPT_MAC:
		if (!parse_mac(value, d->mac))
			bad_usage("--mac '%s': an address like 02:00:00:00:00:01, of no group",
				  value);
		d->has_mac = true;
		break;
	case OPT_WIRE:
		d->wire = value;
		break;
	case OPT_FAULT:
		if (!nic_fault_find(value, &d->fault))
			bad_usage("--fault '%s': have none, nvm, reset, dead", value);
		break;
	case OPT_TRACE:
		d->trace = true;
		break;
	case OPT_DEVICE:
		next_device();
		break;
	case OPT_CONTROL:
		control_path = socket_path("--control", value);
		break;
	case OPT_REPORT:
		report_path = value;
		break;
	case OPT_HELP:
		fputs(usage_text, stdout);
		exit(0);
	default:
		/* getopt_long() has said what is wrong. */
		fprintf(stderr, "see vfu-nic --help\n");
		exit(EXIT_USAGE);
	}
}

static void
parse(int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		take(option, optarg);
	if (optind != argc)
		bad_usage("'%s': what is that?", argv[optind]);
	if (devices[device_count - 1].socket == NULL)
		bad_usage("%s", device_count == 1 ? "--socket PATH is needed"
						  : "the last --device has no --socket");
}

/* 0, or the exit status. */
static int
start(struct vfu_server *server, struct nic_clock *clock, struct device *d, unsigned int index)
{
	uint8_t mac[6] = {0x02, 0, 0, 0, 0, (uint8_t)(index + 1)};
	struct vfu_conf conf = {
	    .name = d->socket,
	    .nic = {.model = d->model != NULL ? d->model : "82599",
		    .mac = d->has_mac ? d->mac : mac,
		    .clock = clock,
		    .trace = d->trace,
		    .fault = d->fault},
	    .wire = d->wire,
	};
	char err[256];

	errno = 0;
	d->vfu = vfu_create(&conf, err, sizeof(err));
	if (d->vfu == NULL) {
		fprintf(stderr, "vfu-nic: %s\n", err);
		return errno == EINVAL ? EXIT_USAGE : 1;
	}
	if (vfu_server_add(server, d->vfu, d->socket, err, sizeof(err)) != 0) {
		fprintf(stderr, "vfu-nic: %s\n", err);
		return 1;
	}
	nic_log("vfu-nic: %s: %s listens", d->socket, d->vfu->nic->model->name);
	return 0;
}

static int
serve(struct vfu_server *server, struct nic_clock *clock)
{
	char err[256];
	unsigned int i;
	int rc;

	if (control_path != NULL &&
	    vfu_server_control(server, control_path, err, sizeof(err)) != 0) {
		fprintf(stderr, "vfu-nic: %s\n", err);
		return 1;
	}
	for (i = 0; i < device_count; i++) {
		rc = start(server, clock, &devices[i], i);
		if (rc != 0)
			return rc;
	}
	rc = vfu_server_run(server);
	if (rc != 0)
		fprintf(stderr, "vfu-nic: poll: %s\n", strerror(-rc));
	vfu_server_report(server);
	for (i = 0; i < device_count; i++) {
		printf("%s: ", devices[i].socket);
		nic_report(devices[i].vfu->nic, stdout);
	}
	fflush(stdout);
	return rc == 0 ? 0 : 1;
}

int
main(int argc, char **argv)
{
	struct vfu_server *server;
	struct nic_clock *clock;
	char err[256];
	sigset_t set;
	unsigned int i;
	int rc;

	parse(argc, argv);
	/* Before there are threads: they inherit it, and the server's loop has the signals. */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	clock = nic_clock_create(false);
	server = vfu_server_create(report_path, err, sizeof(err));
	if (clock == NULL || server == NULL) {
		fprintf(stderr, "vfu-nic: %s\n", clock == NULL ? "no clock" : err);
		return 1;
	}
	rc = serve(server, clock);
	vfu_server_destroy(server);
	for (i = 0; i < device_count; i++)
		vfu_destroy(devices[i].vfu);
	nic_clock_destroy(clock);
	return rc;
}
