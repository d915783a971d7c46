#!/usr/bin/env bash
# volumes.sh: makes a default StorageClass "standard" with 24 local volumes (local volumes honour fsGroup, hostPath volumes do not).
# "volumes.sh --recycle" runs on the node. It empties a volume whose claim was deleted, and makes it available again.
. "$(dirname "$0")/common.sh"
help_for "$0" "$@"
COUNT=24

if [ "${1:-}" = --recycle ]; then
  # Restarts the watch whenever the API server closes it.
  while true; do
    kube get persistentvolumes --watch --output-watch-events=false -o 'jsonpath={.metadata.name} {.status.phase}{"\n"}' 2>/dev/null |
      while read -r name phase; do
        [ "$phase" = Released ] || continue
        rm -rf "${STATE:?}/volumes/$name"
        mkdir -p "$STATE/volumes/$name"
        kube patch persistentvolume "$name" --type=json --patch='[{"op": "remove", "path": "/spec/claimRef"}]' || true
      done
    sleep 1
  done
fi

{
  cat <<CLASS
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: standard, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
CLASS
  for name in $(seq -f 'local-%02g' $COUNT); do
    mkdir -p "$STATE/volumes/$name"
    cat <<VOLUME
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: $name}
spec:
  capacity: {storage: 10Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: standard
  persistentVolumeReclaimPolicy: Retain
  local: {path: "$STATE/volumes/$name"}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [$NODE]}]}]}}
VOLUME
  done
} | kube create --filename - >/dev/null
