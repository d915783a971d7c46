#!/usr/bin/env bash
# second-node.sh: adds a second node, lab-2, to the running lab (20 s; the first time 2 min, for a copy of the images). It has its
# own network, containerd and kubelet, and a link to the first node, which has the volumes. End it with LAB_NODE=2 down.sh, or end
# both with down.sh.
. "$(dirname "$0")/common.sh"
help_for "$0" "$@"
require_root second-node.sh
one_at_a_time "$0" "$@"
node_is_up || fail 'the lab is not running: start it with up.sh.'
ctr_on_node() { ctr --address "$CLUSTER_HOME/run$1/containerd.sock" --namespace k8s.io "${@:2}"; }
# Names and digests of the images, without the names by digest that Kubernetes adds.
list_images() { ctr_on_node "$1" images ls | awk 'NR > 1 && $1 !~ /sha256:/ {print $1, $3}' | sort; }

export LAB_NODE=2
if ! is_alive "$CLUSTER_HOME/run-2/node.pid"; then
  "$LAB_SOURCE/down.sh"
  trap '[ -n "${whole:-}" ] || "$LAB_SOURCE/down.sh"' EXIT
  say 'starting the second node (10 s)'
  "$LAB_SOURCE/node.sh"
fi
mapfile -t missing < <(comm -23 <(list_images '') <(list_images -2) | cut -d ' ' -f 1)
if [ ${#missing[@]} != 0 ]; then
  say "copying ${#missing[@]} images (2 min for all)"
  ctr_on_node '' images export - "${missing[@]}" | ctr_on_node -2 images import --snapshotter overlayfs - >/dev/null
fi
kube wait node "$SECOND_NODE" --for=condition=Ready --timeout=60s >/dev/null
whole=yes
