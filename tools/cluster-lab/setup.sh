#!/usr/bin/env bash
# setup.sh: installs and builds missing parts of the lab: Debian packages, the cluster's programs, n8n's runtimes and the images.
# The first time, programs take 15-20 min on 2 cores, and images 8 min. up.sh calls it. Run it alone to prepare a machine. Needs root
# on Debian 12, Go and Node. CLUSTER_HOME: folder of the lab (default: cluster/ in N8N_TUNED_CACHE or ~/.cache/n8n-tuned).
. "$(dirname "$0")/common.sh"
help_for "$0" "$@"
require_root setup.sh
one_at_a_time "$0" "$@"
mkdir -p "$BIN" "$ETC" "$STATE" "$RUN" "$LOGS"

"$LAB_SOURCE/machine.sh"
"$LAB_SOURCE/build.sh"
"$LAB_SOURCE/images.sh"
