# shellcheck shell=bash disable=SC2034
# Sourced by the scripts beside it: paths, names, messages and helpers.
set -euo pipefail

LAB_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
REPOSITORY=$(cd "$LAB_SOURCE/../.." && pwd)
CACHE=${N8N_TUNED_CACHE:-$HOME/.cache/n8n-tuned}
CLUSTER_HOME=${CLUSTER_HOME:-$CACHE/cluster}

# LAB_NODE=2: the second node (second-node.sh). It has its own copy of everything except the control plane.
LAB_NODE=${LAB_NODE:-1}
suffix_of() { [ "$1" = 1 ] || echo "-$1"; }
ip_of() { echo "10.77.$(($1 - 1)).2"; }
SUFFIX=$(suffix_of "$LAB_NODE")
BIN=$CLUSTER_HOME/bin               # built programs
ETC=$CLUSTER_HOME/etc$SUFFIX        # configuration, which each up.sh rewrites
CONTROL=$CLUSTER_HOME/etc           # certificates and kubeconfigs of all nodes
STATE=$CLUSTER_HOME/state$SUFFIX    # the image store, which stays; etcd, kubelet and volumes, which each up.sh empties
RUN=$CLUSTER_HOME/run$SUFFIX        # sockets, process ids
LOGS=$CLUSTER_HOME/logs$SUFFIX

# The first node has a link to the machine, and the second node has a link to the first.
API_IP=$(ip_of 1) SECOND_IP=$(ip_of 2) SECOND_NODE=lab$(suffix_of 2)
NODE=lab$SUFFIX NODE_IP=$(ip_of "$LAB_NODE") GATEWAY_IP=10.77.$((LAB_NODE - 1)).1 POD_SUBNET=10.244.$((LAB_NODE - 1)).0/24
POD_CIDR=10.244.0.0/16 SERVICE_CIDR=10.96.0.0/16 DNS_IP=10.96.0.10
CGROUP=n8n-tuned-lab$SUFFIX GATEWAY_LINK=lab-h$SUFFIX NODE_LINK=lab-n$SUFFIX
MADE=$CLUSTER_HOME/made-by-cluster.sh   # the cluster that cluster.sh made and may take down: kind or lab
KUBECONFIG_FILE=$CONTROL/admin.kubeconfig
# A machine has room for one lab, since interface, addresses and cgroup are the machine's. This file names its CLUSTER_HOME.
OWNER=/run/n8n-tuned-lab.owner
LOCK=/run/n8n-tuned-lab.lock

say() { printf '… %s\n' "$*" >&2; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

# The comment at the top of a script is its help.
help_for() { # script, its arguments
  case ${2:-} in -h | --help) sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$1"; exit 0 ;; esac
}

# step LOG WHAT COMMAND...: prints one line of progress and runs the command. Its output goes to the log, which a failure names.
step() {
  local log=$LOGS/$1.log what=$2
  shift 2
  say "$what"
  mkdir -p "$LOGS"
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 15 "$log" >&2
    fail "failed: $what. The whole log: $log"
  fi
}

# Two of these scripts at once would build the same files, so the second waits. The lock ends with the script: because of
# --close, processes that the script leaves running do not hold it.
one_at_a_time() { # script, its arguments
  [ -z "${LAB_LOCKED:-}" ] || return 0
  flock --nonblock "$LOCK" true || say 'waiting for another lab script'
  LAB_LOCKED=1 exec flock --close "$LOCK" "$@"
}

require_root() { [ "$(id -u)" = 0 ] || fail "$1 needs root: it makes namespaces, network interfaces and cgroups."; }

# A process id may be reused by another process. Together with its start time it is unique.
start_time() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }
record_process() { echo "$1 $(start_time "$1")" >"$2"; }
is_alive() { # file made by record_process
  local id started
  [ -e "$1" ] && read -r id started <"$1" && [ -n "$started" ] && [ "$(start_time "$id")" = "$started" ]
}
process_of() { cut -d ' ' -f 1 "$1"; }

node_is_up() { is_alive "$RUN/node.pid"; }
in_node() { nsenter --target "$(process_of "$RUN/node.pid")" --mount --net --pid --uts --ipc -- "$@"; }

# Starts a process that outlives the script. It must not hold the script's open files: a test that reads the script's output to
# its end would wait until the cluster is down.
start_detached() { # name of the log, command...
  local log=$LOGS/$1.log
  shift
  (
    for open in "/proc/$BASHPID/fd/"*; do
      [ "${open##*/}" -le 2 ] || eval "exec ${open##*/}>&-"
    done
    exec setsid "$@" >"$log" 2>&1 </dev/null
  ) &
}
# Starts such a process in the node.
start_in_node() { # name, command...
  start_detached "$1" nsenter --target "$(process_of "$RUN/node.pid")" --mount --net --pid --uts --ipc -- "${@:2}"
}

# kubectl of the cluster's version, not the one on PATH.
kube() { "$BIN/kubectl" --kubeconfig="$KUBECONFIG_FILE" "$@"; }
ctr_in_lab() { ctr --address "$RUN/containerd.sock" --namespace k8s.io "$@"; }

wait_for() { # seconds, name of the log, command...
  local deadline=$((SECONDS + $1)) log=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || { tail -n 5 "$LOGS/$log.log" >&2; fail "$log did not come up. Its log: $LOGS/$log.log"; }
    sleep 0.2
  done
}
