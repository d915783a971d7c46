#!/usr/bin/env bash
# node.sh: starts an empty single-node Kubernetes (10 s), or with LAB_NODE=2 adds a node to it. A node runs in its own namespaces
# (mount, network, pid, uts, ipc). When the first process of the pid namespace ends, the whole node ends.
. "$(dirname "$0")/common.sh"
help_for "$0" "$@"
. "$LAB_SOURCE/store.sh"
pki=$CONTROL/pki

# Only the images are kept from the last start.
rm -rf "$STATE"/{etcd,kubelet,log,volumes,cni} "$RUN"/containerd* "$ETC/cni"
mkdir -p "$STATE"/{containerd,etcd,kubelet,log,volumes,cni} "$ETC/cni" "$RUN" "$LOGS" /var/lib/kubelet /var/lib/cni /run/netns /run/containerd
drop_old_containers
if [ "$LAB_NODE" = 1 ]; then "$LAB_SOURCE/pki.sh" 2>"$LOGS/pki.log"; fi
"$LAB_SOURCE/cgroup.sh" make

# -- The namespaces

printf 'nameserver 127.0.0.53\noptions ndots:1\n' >"$ETC/resolv.conf"
printf '127.0.0.1 localhost\n%s %s\n' "$NODE_IP" "$NODE" >"$ETC/hosts"
export STATE ETC BIN NODE
# shellcheck disable=SC2016
start_detached node unshare --mount --net --pid --uts --ipc --propagation private --fork sh -ec '
  mount --make-rshared /
  mount -t proc proc /proc
  mount --bind "$STATE/kubelet" /var/lib/kubelet
  mount --bind "$STATE/log" /var/log
  mount --bind "$ETC/hosts" /etc/hosts
  for folder in /run/netns /run/containerd /var/lib/cni; do mount -t tmpfs tmpfs "$folder"; done
  hostname "$NODE"
  exec "$BIN/pause"'
outside=$!
first_process() { pgrep -P "$outside" -x pause; }
wait_for 10 node first_process
record_process "$(first_process)" "$RUN/node.pid"

link_to_machine() {
  ip link add "$GATEWAY_LINK" type veth peer name "$NODE_LINK" netns "$(process_of "$RUN/node.pid")"
  ip addr add "$GATEWAY_IP/24" dev "$GATEWAY_LINK"
  ip link set "$GATEWAY_LINK" up
}
link_to_first_node() {
  local first
  first=$(process_of "$CLUSTER_HOME/run/node.pid")
  nsenter --target "$first" --net -- sh -ec "
    ip link add $GATEWAY_LINK type veth peer name $NODE_LINK netns $(process_of "$RUN/node.pid")
    ip addr add $GATEWAY_IP/24 dev $GATEWAY_LINK
    ip link set $GATEWAY_LINK up
    ip route add $POD_SUBNET via $NODE_IP"
}
if [ "$LAB_NODE" = 1 ]; then link_to_machine; else link_to_first_node; fi
in_node sh -ec "
  ip link set lo up
  ip addr add $NODE_IP/24 dev $NODE_LINK
  ip link set $NODE_LINK up
  ip route add default via $GATEWAY_IP
  sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.route_localnet=1
  sysctl -qw net.bridge.bridge-nf-call-iptables=1 2>/dev/null || true"

# -- Configuration

cat >"$ETC/cni/10-lab.conflist" <<CONFIG
{"cniVersion": "0.4.0", "name": "lab", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$STATE/cni", "ranges": [[{"subnet": "$POD_SUBNET"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
CONFIG
# restrict_oom_score_adj: without CAP_SYS_RESOURCE, as in many containers, a process may not lower its own score.
cat >"$ETC/containerd.toml" <<CONFIG
version = 2
root = "$STATE/containerd"
state = "$RUN/containerd"
[grpc]
  address = "$RUN/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:lab"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$ETC/cni"
CONFIG
# Memory that pods may not use: a third of the machine's, for the cluster itself and for the tests.
reserved=${RESERVE_MEM:-$(awk '/MemTotal/ {printf "%dMi", $2 / 1024 / 3}' /proc/meminfo)}
cat >"$ETC/kubelet.yaml" <<CONFIG
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: /$CGROUP
containerRuntimeEndpoint: unix://$RUN/containerd.sock
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $pki/kubelet-server$SUFFIX.crt
tlsPrivateKeyFile: $pki/kubelet-server$SUFFIX.key
clusterDNS: [$DNS_IP]
clusterDomain: cluster.local
resolvConf: $ETC/resolv.conf
failSwapOn: false
registerNode: true
systemReserved: {memory: $reserved}
enforceNodeAllocatable: [pods]
evictionHard: {memory.available: 200Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
maxPods: 60
nodeStatusUpdateFrequency: 5s
CONFIG
cat >"$ETC/proxy.yaml" <<CONFIG
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: ${PROXY_MODE:-nftables}
clientConnection: {kubeconfig: $CONTROL/proxy.kubeconfig}
clusterCIDR: $POD_CIDR
hostnameOverride: $NODE
conntrack: {maxPerCore: 0}
CONFIG

# -- The components

start_component() { # component, arguments...
  start_in_node "$1" "$BIN/$1" "${@:2}"
}
start_control_plane() {
  local etcd=http://127.0.0.1:2379
  # Without fsync: etcd's data are thrown away anyway.
  start_in_node etcd "$BIN/etcd" --name lab --data-dir "$STATE/etcd" --unsafe-no-fsync --listen-client-urls $etcd --advertise-client-urls $etcd \
    --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 --initial-cluster lab=http://127.0.0.1:2380
  wait_for 60 etcd in_node curl -fs $etcd/health
  start_component kube-apiserver --etcd-servers=$etcd --advertise-address=$NODE_IP --secure-port=6443 --service-cluster-ip-range=$SERVICE_CIDR \
    --authorization-mode=Node,RBAC --allow-privileged=true --client-ca-file="$pki/ca.crt" \
    --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" \
    --kubelet-client-certificate="$pki/admin.crt" --kubelet-client-key="$pki/admin.key" --kubelet-certificate-authority="$pki/ca.crt" \
    --kubelet-preferred-address-types=InternalIP --service-account-issuer=https://kubernetes.default.svc.cluster.local \
    --service-account-key-file="$pki/service-account.pub" --service-account-signing-key-file="$pki/service-account.key" \
    --requestheader-client-ca-file="$pki/ca.crt" --requestheader-allowed-names=front-proxy-client \
    --requestheader-extra-headers-prefix=X-Remote-Extra- --requestheader-group-headers=X-Remote-Group \
    --requestheader-username-headers=X-Remote-User --proxy-client-cert-file="$pki/front-proxy.crt" --proxy-client-key-file="$pki/front-proxy.key"
  wait_for 120 kube-apiserver kube get --raw /readyz
  local config=$CONTROL/controller-manager.kubeconfig
  start_component kube-controller-manager --kubeconfig="$config" --authentication-kubeconfig="$config" --authorization-kubeconfig="$config" \
    --root-ca-file="$pki/ca.crt" --service-account-private-key-file="$pki/service-account.key" --use-service-account-credentials=true \
    --leader-elect=false --cluster-signing-cert-file="$pki/ca.crt" --cluster-signing-key-file="$pki/ca.key"
  config=$CONTROL/scheduler.kubeconfig
  start_component kube-scheduler --kubeconfig="$config" --authentication-kubeconfig="$config" --authorization-kubeconfig="$config" --leader-elect=false
}
start_in_node containerd containerd --config "$ETC/containerd.toml"
if [ "$LAB_NODE" = 1 ]; then start_control_plane; fi
wait_for 60 containerd ctr_in_lab version
# Once a minute, the kubelet's garbage collection takes a container that is not yet started for dead. It then removes the one
# that has just died, and the reason is lost (seen: 1.35.4). So containers of the last ten minutes are kept.
start_component kubelet --config="$ETC/kubelet.yaml" --kubeconfig="$CONTROL/kubelet$SUFFIX.kubeconfig" --hostname-override=$NODE --node-ip=$NODE_IP --root-dir=/var/lib/kubelet -v=2 \
  --minimum-container-ttl-duration=10m
start_component kube-proxy --config="$ETC/proxy.yaml" -v=2
if [ "$LAB_NODE" = 1 ]; then start_in_node volumes "$LAB_SOURCE/volumes.sh" --recycle; fi
wait_for 120 kubelet kube wait node "$NODE" --for=condition=Ready --timeout=1s
