#!/usr/bin/env bash
# policies.sh [--end]: makes the first node of the running lab enforce NetworkPolicies, with kube-router as a firewall only (1 s; the
# first time 4 min, for its build). Also makes 169.254.169.254 and 169.254.170.2 answer on port 80, like the metadata services of a
# cloud. --end removes both, and so does down.sh.
. "$(dirname "$0")/common.sh"
help_for "$0" "$@"
require_root policies.sh
one_at_a_time "$0" "$@"
KUBE_ROUTER=2.1.0
node_is_up || fail 'the lab is not running: start it with up.sh.'

if [ "${1:-}" = --end ]; then
  for name in kube-router metadata; do
    if is_alive "$RUN/$name.pid"; then pkill -P "$(process_of "$RUN/$name.pid")"; fi
    while is_alive "$RUN/$name.pid"; do sleep 0.1; done
  done
  # kube-router leaves its rules and sets behind.
  in_node sh -ec "iptables-save -t filter | grep -vE 'KUBE-(ROUTER|POD-FW|NWPLCY)' | iptables-restore; ipset destroy"
  exit
fi

# Pods of one node reach each other over its bridge.
[ "$(in_node sysctl -n net.bridge.bridge-nf-call-iptables)" = 1 ] || fail 'this kernel does not filter the traffic of a bridge (br_netfilter).'
command -v ipset >/dev/null || step ipset 'installing ipset (Debian package, 10 s)' sh -ec \
  'apt-get update -qq; apt-get install -y -qq --no-install-recommends ipset'
if [ ! -x "$BIN/kube-router" ]; then
  step build-kube-router 'building kube-router (4 min)' env CGO_ENABLED=0 GOFLAGS=-buildvcs=false GOBIN="$BIN" nice -n 10 \
    go install -trimpath -p 2 -ldflags '-s -w' "github.com/cloudnativelabs/kube-router/v2/cmd/kube-router@v$KUBE_ROUTER"
fi
if ! is_alive "$RUN/metadata.pid"; then
  # A network outside the node, like that of a cloud. Process 1 is the node's first process.
  # shellcheck disable=SC2016
  start_in_node metadata unshare --net sh -ec '
    ip link add eth0 type veth peer name metadata netns 1
    for address in 169.254.169.254 169.254.170.2; do ip addr add $address/32 dev eth0; done
    ip link set eth0 up
    ip route add default dev eth0
    nsenter --target 1 --net sh -ec "
      ip link set metadata up
      for address in 169.254.169.254 169.254.170.2; do ip route add \$address dev metadata; done"
    exec python3 -c "import http.server as h; h.HTTPServer((\"\", 80), h.BaseHTTPRequestHandler).serve_forever()"'
  record_process $! "$RUN/metadata.pid"
fi
if ! is_alive "$RUN/kube-router.pid"; then
  say 'starting kube-router (1 s)'
  start_in_node kube-router "$BIN/kube-router" --kubeconfig="$KUBECONFIG_FILE" --hostname-override="$NODE" --service-cluster-ip-range="$SERVICE_CIDR" \
    --run-firewall=true --run-router=false --run-service-proxy=false --enable-cni=false
  record_process $! "$RUN/kube-router.pid"
fi
wait_for 10 metadata in_node curl -s http://169.254.169.254 http://169.254.170.2
# kube-router has seen every pod once these rules exist.
wait_for 60 kube-router in_node sh -c "iptables -S KUBE-ROUTER-FORWARD | grep -q KUBE-POD-FW"
