#!/usr/bin/env bash
# cgroup.sh make|remove: the cgroup under which all pods run, on cgroup v1 and v2.
. "$(dirname "$0")/common.sh"
help_for "$0" "$@"
ROOT=/sys/fs/cgroup
V1=(cpu cpuacct cpuset memory devices freezer blkio pids hugetlb net_cls net_prio perf_event systemd unified)

list_folders() {
  if [ -e $ROOT/cgroup.controllers ]; then
    echo "$ROOT/$CGROUP"
  else
    for controller in "${V1[@]}"; do
      # Some controllers share a mount that has two names.
      if [ -d "$ROOT/$controller" ]; then echo "$(readlink -f "$ROOT/$controller")/$CGROUP"; fi
    done | sort -u
  fi
}
case ${1:-} in
  make)
    mapfile -t all < <(list_folders)
    mkdir -p "${all[@]}"
    if [ -e $ROOT/cgroup.controllers ]; then
      echo '+cpuset +cpu +io +memory +pids' >$ROOT/cgroup.subtree_control ||
        fail "the controllers cpuset, cpu, io, memory, pids cannot be enabled in $ROOT: in a container, move its processes to a cgroup below it."
    else
      # A cpuset without CPUs and memory nodes accepts no process.
      for file in cpuset.cpus cpuset.mems; do cat "$ROOT/cpuset/$file" >"$ROOT/cpuset/$CGROUP/$file"; done
    fi ;;
  remove)
    # The cgroup of a pod that has just ended is removed a moment later.
    for _ in $(seq 50); do
      left=
      for folder in $(list_folders); do
        [ -d "$folder" ] || continue
        find "$folder" -depth -type d -exec rmdir {} + 2>/dev/null || true
        if [ -d "$folder" ]; then left=$folder; fi
      done
      [ -z "$left" ] && exit
      sleep 0.1
    done
    fail "the cgroup $left is still in use." ;;
  *) fail 'cgroup.sh make|remove' ;;
esac
