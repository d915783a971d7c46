# shellcheck shell=bash
# Sourced: opens the image store. While the cluster is up, that is the node's containerd. Otherwise a containerd without
# Kubernetes is started for the time of the script.
open_store() {
  if node_is_up || is_alive "$RUN/store.pid"; then return; fi
  mkdir -p "$STATE/containerd" "$RUN" "$LOGS"
  printf 'version = 2\nroot = "%s"\nstate = "%s"\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n[grpc]\n  address = "%s"\n' \
    "$STATE/containerd" "$RUN/store" "$RUN/containerd.sock" >"$RUN/store.toml"
  containerd --config "$RUN/store.toml" >"$LOGS/store.log" 2>&1 </dev/null &
  record_process $! "$RUN/store.pid"
  wait_for 30 store ctr_in_lab version
}
close_store() {
  is_alive "$RUN/store.pid" || return 0
  local process
  process=$(process_of "$RUN/store.pid")
  kill "$process"
  wait "$process" 2>/dev/null || true
  while is_alive "$RUN/store.pid"; do sleep 0.1; done
  rm -rf "$RUN"/store* "$RUN"/containerd.sock*
}
# Removes the containers of a cluster that has ended: containerd would offer them to the kubelet of the next one.
drop_old_containers() {
  local known=$STATE/containerd/io.containerd.grpc.v1.cri container
  [ -n "$(ls -A "$known/sandboxes" "$known/containers" 2>/dev/null)" ] || return 0
  open_store
  for container in $(ctr_in_lab containers ls -q); do ctr_in_lab containers rm "$container" >/dev/null; done
  close_store
  rm -rf "$known"
}
