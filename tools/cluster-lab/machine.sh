#!/usr/bin/env bash
# machine.sh: checks that this machine can run the lab, and installs missing Debian packages.
. "$(dirname "$0")/common.sh"
help_for "$0" "$@"
require_root machine.sh

PACKAGES=(containerd runc containernetworking-plugins iptables nftables conntrack kmod mmdebstrap zstd python3-minimal
  libpython3-stdlib gcc libc6-dev openssl curl iproute2 procps)

[ "$(. /etc/os-release && echo "${ID:-} ${VERSION_ID:-}")" = 'debian 12' ] ||
  fail "the lab needs Debian 12, and this is $(. /etc/os-release && echo "${PRETTY_NAME:-another system}"). Install Docker and kind, or set KUBECONFIG to a cluster."

missing=()
for package in "${PACKAGES[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} != 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  step packages "installing ${missing[*]} (Debian packages, 1-2 min)" bash -ec \
    'apt-get update -qq; apt-get install -y -qq --no-install-recommends "$@"' -- "${missing[@]}"
fi

for command in go node npm; do
  command -v "$command" >/dev/null || fail "$command is not on PATH. The lab builds Kubernetes with Go (1.25 or newer) and takes n8n from npm (Node 20 or newer)."
done
unshare --mount --net --pid --uts --ipc --propagation private --fork true 2>/dev/null ||
  fail 'root cannot make namespaces on this machine (unshare failed): the lab cannot run in this container.'
[ -e /sys/fs/cgroup/cgroup.controllers ] || [ -w /sys/fs/cgroup/memory ] ||
  fail '/sys/fs/cgroup is not writable: the lab needs cgroups for the limits of pods.'
free=$(df --output=avail -B1G "$CLUSTER_HOME" | tail -n 1 | tr -d ' ')
[ -e "$STATE/containerd" ] || [ "$free" -ge 20 ] || fail "$free GB are free in $CLUSTER_HOME; the lab needs 20. Set CLUSTER_HOME to a folder on another disk."
# Containers lack these modules, and so do some kernels. kube-proxy reports what is missing.
modprobe -qa overlay br_netfilter nf_conntrack 2>/dev/null || true
