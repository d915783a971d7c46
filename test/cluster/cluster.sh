#!/usr/bin/env bash
# cluster.sh: a Kubernetes for the tests, whatever the machine has: the cluster of KUBECONFIG when that answers (nothing
# of it is touched); else one of kind, where Docker answers; else the lab of tools/cluster-lab (root on Debian 12, no Docker needed).
#
#   cluster.sh run COMMAND...   brings it up, runs the command with KUBECONFIG and PATH set, and takes it down again if
#                               this brought it up (KEEP_CLUSTER=1: not)
#   cluster.sh up               brings it up; prints the path of its kubeconfig
#   cluster.sh down             takes down what "up" has made, and nothing else
#   cluster.sh load FILE...     puts image archives (docker save) into it
#   cluster.sh kubeconfig       prints the path, or fails when there is no cluster
#   cluster.sh env              prints it as export lines: eval "$(test/cluster/cluster.sh env)"
#   cluster.sh kind             prints given, kind or lab

# shellcheck source=../../tools/cluster-lab/common.sh
. "$(dirname "$0")/../../tools/cluster-lab/common.sh"
help_for "$0" "${@:---help}"

KIND_CLUSTER=n8n-tuned
KIND_KUBECONFIG=$CLUSTER_HOME/kind.kubeconfig
USERS=$CLUSTER_HOME/users.lock          # held by each "run" while it uses the cluster
TOOLS=$BIN:$CACHE/tools/helm            # kubectl as built for the lab, helm as n8n-capacity built it

answers() { KUBECONFIG=$1 PATH=$PATH:$TOOLS kubectl get --raw /readyz --request-timeout=5s >/dev/null 2>&1; }
docker_answers() { command -v docker >/dev/null && timeout 10 docker info >/dev/null 2>&1; }

# given, kind, lab: the cluster there is, or else the one that this machine can have.
which_cluster() {
  if [ -n "${KUBECONFIG:-}" ] && [ "$KUBECONFIG" != "$KUBECONFIG_FILE" ] && [ "$KUBECONFIG" != "$KIND_KUBECONFIG" ]; then
    if answers "$KUBECONFIG"; then echo given; return; fi
    say "the cluster of KUBECONFIG ($KUBECONFIG) does not answer: making one"
  fi
  if docker_answers && command -v kind >/dev/null; then echo kind; else echo lab; fi
}
kubeconfig_of() {
  case $1 in given) echo "$KUBECONFIG" ;; kind) echo "$KIND_KUBECONFIG" ;; lab) echo "$KUBECONFIG_FILE" ;; esac
}

up() { # kind of cluster
  case $1 in
    given) say "using the cluster of KUBECONFIG ($KUBECONFIG)" ;;
    kind)
      if ! answers "$KIND_KUBECONFIG"; then
        say "creating the kind cluster $KIND_CLUSTER (1-3 min)"
        kind delete cluster --name $KIND_CLUSTER >&2
        kind create cluster --name $KIND_CLUSTER --kubeconfig "$KIND_KUBECONFIG" --wait 3m >&2
        echo kind >"$MADE"
      fi ;;
    lab)
      [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] ||
        fail 'no cluster for the tests: KUBECONFIG names none that answers; Docker does not answer or kind is not on PATH; and the lab, which needs neither, wants root on Debian 12.'
      if ! node_is_up; then
        "$LAB_SOURCE/up.sh" >/dev/null
        echo lab >"$MADE"
      else
        "$LAB_SOURCE/up.sh" >/dev/null
      fi ;;
  esac
}
down() {
  case $(cat "$MADE" 2>/dev/null) in
    kind) say "deleting the kind cluster $KIND_CLUSTER"; kind delete cluster --name $KIND_CLUSTER --kubeconfig "$KIND_KUBECONFIG" >&2 ;;
    lab) "$LAB_SOURCE/down.sh" ;;
    *) say 'nothing to take down: cluster.sh has brought nothing up' ;;
  esac
  rm -f "$MADE" "$KIND_KUBECONFIG"
}
# shellcheck disable=SC2016
environment() { # kind of cluster
  printf 'export KUBECONFIG=%q\n' "$(kubeconfig_of "$1")"
  if [ "$1" = lab ]; then
    # kubectl must not be older than the API server by more than one version; and a proxy of the machine knows nothing of
    # the lab's network.
    printf 'export PATH=%q:$PATH\nexport NO_PROXY=${NO_PROXY:+$NO_PROXY,}%s no_proxy=${no_proxy:+$no_proxy,}%s\n' "$TOOLS" "$NODE_IP" "$NODE_IP"
  else
    printf 'export PATH=$PATH:%q\n' "$TOOLS"
  fi
}
load() { # kind of cluster, files...
  local file
  for file in "${@:2}"; do
    case $1 in
      given) fail 'images are not put into the cluster of KUBECONFIG: push them to where it pulls from.' ;;
      kind) kind load image-archive "$file" --name $KIND_CLUSTER >&2 ;;
      lab) ctr_in_lab images import --snapshotter overlayfs "$file" >&2 ;;
    esac
  done
}
run() {
  local cluster code=0
  mkdir -p "$CLUSTER_HOME"
  cluster=$(which_cluster)
  # Shared: whoever ends last takes the cluster down.
  exec 8>"$USERS"
  flock --shared 8
  trap 'finish' EXIT
  up "$cluster"
  ( eval "$(environment "$cluster")"; exec "$@" 8>&- ) || code=$?
  exit "$code"
}
finish() {
  local code=$?
  if [ -e "$MADE" ] && [ -z "${KEEP_CLUSTER:-}" ]; then
    if flock --exclusive --nonblock 8; then down || true; else say 'another run uses the cluster: it stays'; fi
  fi
  exit "$code"
}

command=$1
shift
mkdir -p "$CLUSTER_HOME"
case $command in
  run) [ $# != 0 ] || fail 'cluster.sh run COMMAND...'; run "$@" ;;
  up) cluster=$(which_cluster); up "$cluster"; kubeconfig_of "$cluster" ;;
  down) down ;;
  load) load "$(which_cluster)" "$@" ;;
  kubeconfig)
    file=$(kubeconfig_of "$(which_cluster)")
    answers "$file" || fail "no cluster is up ($file): test/cluster/cluster.sh up"
    echo "$file" ;;
  env) environment "$(which_cluster)" ;;
  kind) which_cluster ;;
  *) fail "cluster.sh $command: unknown. cluster.sh --help lists the commands." ;;
esac
