#!/usr/bin/env bash
# up.sh: starts a real, empty single-node Kubernetes on this machine with the images of images.sh (20 s; the first time setup.sh
# builds for 40 min). If it is already running, only updates the images. Prints the path of the kubeconfig.
# RESERVE_MEM=8Gi: memory that pods may not use (default: a third of the machine's). PROXY_MODE=nftables|iptables.
. "$(dirname "$0")/common.sh"
help_for "$0" "$@"
require_root up.sh
one_at_a_time "$0" "$@"

if node_is_up && kube get --raw /readyz >/dev/null 2>&1; then
  "$LAB_SOURCE/images.sh"
  echo "$KUBECONFIG_FILE"
  exit
fi
if [ -e $OWNER ] && [ "$(cat $OWNER)" != "$CLUSTER_HOME" ] && is_alive "$(cat $OWNER)/run/node.pid"; then
  fail "the lab of $(cat $OWNER) is running, and a machine has room for one. End it: CLUSTER_HOME=$(cat $OWNER) $LAB_SOURCE/down.sh"
fi
# Removes the rest of a lab that down.sh did not end.
"$LAB_SOURCE/down.sh"
"$LAB_SOURCE/setup.sh"

echo "$CLUSTER_HOME" >$OWNER
whole=
trap '[ -n "$whole" ] || { pkill -P $$ || true; "$LAB_SOURCE/down.sh"; }' EXIT
say 'starting the node (10 s)'
"$LAB_SOURCE/node.sh"
"$LAB_SOURCE/volumes.sh"
kube apply --filename "$LAB_SOURCE/manifests" >/dev/null
step rollout 'waiting for DNS and metrics (10 s)' kube --namespace kube-system rollout status deployment/coredns deployment/metrics-server --timeout=120s
whole=yes
echo "$KUBECONFIG_FILE"
