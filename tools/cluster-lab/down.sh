#!/usr/bin/env bash
# down.sh [--wipe]: ends the lab of this CLUSTER_HOME with its second node, and removes its interface and cgroup from the machine.
# With LAB_NODE=2, ends only the second node. Keeps the images for the next start, unless --wipe is given.
. "$(dirname "$0")/common.sh"
help_for "$0" "$@"
require_root down.sh
one_at_a_time "$0" "$@"

if [ "$LAB_NODE" = 1 ]; then LAB_NODE=2 "$0" "$@"; fi
if node_is_up; then
  say "ending the node $NODE (3 s)"
  if [ "$LAB_NODE" = 2 ]; then timeout 10 "$BIN/kubectl" --kubeconfig="$KUBECONFIG_FILE" delete node $NODE >/dev/null 2>&1 || true; fi
  # The first process of the pid namespace: the kernel ends all others with it.
  kill -KILL "$(process_of "$RUN/node.pid")"
  while node_is_up; do sleep 0.1; done
fi
if [ "$(cat $OWNER 2>/dev/null)" = "$CLUSTER_HOME" ]; then
  # The link to a node ends with the node.
  if [ "$LAB_NODE" = 1 ]; then ip link delete $GATEWAY_LINK 2>/dev/null || true; fi
  "$LAB_SOURCE/cgroup.sh" remove
  if [ "$LAB_NODE" = 1 ]; then rm -f $OWNER; fi
fi
# Ends a store that a killed images.sh left running.
if is_alive "$RUN/store.pid"; then kill "$(process_of "$RUN/store.pid")"; sleep 1; fi
rm -rf "${RUN:?}" "$ETC" "$STATE"/{etcd,kubelet,log,volumes,cni}
if [ "$LAB_NODE" = 1 ] && [ "$(cat "$MADE" 2>/dev/null)" = lab ]; then rm -f "$MADE"; fi
if [ "${1:-}" = --wipe ]; then rm -rf "$STATE"; fi
