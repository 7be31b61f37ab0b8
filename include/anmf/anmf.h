// SPDX-License-Identifier: MIT
// Everything at once.
#pragma once

#include "anmf/checkpoint.h"      // IWYU pragma: export
#include "anmf/consensus.h"       // IWYU pragma: export
#include "anmf/data.h"            // IWYU pragma: export
#include "anmf/error.h"           // IWYU pragma: export
#include "anmf/estimate.h"        // IWYU pragma: export
#include "anmf/factorize.h"       // IWYU pragma: export
#include "anmf/files.h"           // IWYU pragma: export
#include "anmf/fingerprint.h"     // IWYU pragma: export
#include "anmf/fit_quality.h"     // IWYU pragma: export
#include "anmf/init.h"            // IWYU pragma: export
#include "anmf/io.h"              // IWYU pragma: export
#include "anmf/matrix.h"          // IWYU pragma: export
#include "anmf/multiplicative.h"  // IWYU pragma: export
#include "anmf/nnls.h"            // IWYU pragma: export
#include "anmf/option_table.h"    // IWYU pragma: export
#include "anmf/options.h"         // IWYU pragma: export
#include "anmf/parallel.h"        // IWYU pragma: export
#include "anmf/predict.h"         // IWYU pragma: export
#include "anmf/prepare.h"         // IWYU pragma: export
#include "anmf/refit.h"           // IWYU pragma: export
#include "anmf/result.h"          // IWYU pragma: export
#include "anmf/shares.h"          // IWYU pragma: export
#include "anmf/stream.h"          // IWYU pragma: export
#include "anmf/survey.h"          // IWYU pragma: export
#include "anmf/trace_columns.h"   // IWYU pragma: export
#include "anmf/version.h"         // IWYU pragma: export
