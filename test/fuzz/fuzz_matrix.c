/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix files of any bytes: rows that are whole, or one printable line and nothing kept. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "matrix.h"

static void
sweep_holds(const struct matrix_sweep *sweep)
{
	for (size_t i = 0; i < sweep->n; i++)
		if (!lines_printable(matrix_value(sweep, i)) ||
		    strlen(matrix_value(sweep, i)) > LINES_MAX)
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[LAB_ERROR_MAX] = "";
	struct matrix m;
	FILE *f;
	int rc;

	if (size == 0)
		return 0;
	f = fmemopen((void *)(uintptr_t)data, size, "r");
	if (f == NULL)
		return 0;
	rc = matrix_read_stream(&m, f, "folder/fuzz.matrix", error);
	fclose(f);
	if (rc != 0 && (error[0] == '\0' || strchr(error, '\n') != NULL || !lines_printable(error)))
		abort();
	if ((rc == 0) != (m.rows_n != 0 && m.title[0] != '\0'))
		abort();
	for (size_t i = 0; i < m.rows_n; i++) {
		const struct matrix_row *row = &m.rows[i];

		if (row->group[0] == '\0' || row->scenario[0] == '\0' ||
		    row->sweeps_n > MATRIX_SWEEPS)
			abort();
		for (size_t k = 0; k < row->sweeps_n; k++) {
			if (row->sweep[k].n == 0)
				abort();
			sweep_holds(&row->sweep[k]);
		}
		sweep_holds(&row->policies);
	}
	matrix_free(&m);
	return 0;
}
