#!/usr/bin/env bash
# Installs the chart with its defaults on the cluster of KUBECONFIG, in a namespace of its own, and calls a load target's
# webhook through the Service. Removes what it made. Needs kubectl, helm and curl; the image docker.io/n8nio/n8n:<appVersion>
# must be pullable or on the node.
set -euo pipefail
cd "$(dirname "$0")/../.."

: "${KUBECONFIG:?set KUBECONFIG to the cluster to test on (kind create cluster gives one)}"
HELM=${HELM:-$(command -v helm || echo "${N8N_TUNED_CACHE:-$HOME/.cache/n8n-tuned}/tools/helm/helm")}
NAMESPACE=n8n-tuned-test-$$
TOKEN=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
FORWARD=

say() { printf '… %s\n' "$*"; }
kube() { kubectl -n "$NAMESPACE" "$@"; }
in_main() { kube exec -i deploy/n8n-tuned-main -c n8n -- "$@"; }

clean_up() {
  local code=$?
  [ -n "$FORWARD" ] && kill "$FORWARD" 2>/dev/null
  if [ $code != 0 ]; then kube get pods,jobs,events 2>&1 | tail -n 30; kube logs deploy/n8n-tuned-main --tail=30 2>&1 || true; fi
  say "removing namespace $NAMESPACE"
  "$HELM" uninstall n8n-tuned -n "$NAMESPACE" >/dev/null 2>&1 || true
  kubectl delete namespace "$NAMESPACE" --wait=true --timeout=120s >/dev/null || true
  exit $code
}
trap clean_up EXIT

say "helm install n8n-tuned charts/n8n-tuned (namespace $NAMESPACE)"
kubectl create namespace "$NAMESPACE" >/dev/null
"$HELM" install n8n-tuned charts/n8n-tuned -n "$NAMESPACE" --wait --timeout 10m

say 'the generated Secret holds an encryption key'
[ "$(kube get secret n8n-tuned-generated -o jsonpath='{.data.encryption-key}' | base64 -d | wc -c)" -ge 32 ]

say 'putting the load target node and webhook-ack into the release'
tar -cf - package.json dist | in_main sh -c 'mkdir -p ~/.n8n/nodes/node_modules/n8n-nodes-tuned && tar -xf - -C ~/.n8n/nodes/node_modules/n8n-nodes-tuned'
printf '[{"id":"2000000000000001","name":"n8n-tuned load target","type":"httpHeaderAuth","data":{"name":"x-load-target-token","value":"%s"}}]' "$TOKEN" |
  in_main sh -c 'cat > /tmp/credentials.json && n8n import:credentials --input=/tmp/credentials.json; code=$?; rm -f /tmp/credentials.json; exit $code' >/dev/null
in_main sh -c 'cat > /tmp/workflow.json && n8n import:workflow --input=/tmp/workflow.json && n8n publish:workflow --id=1001' < workflows/webhook-ack.json >/dev/null

say 'restarting main, which keeps its volume'
kube rollout restart deploy/n8n-tuned-main >/dev/null
kube rollout status deploy/n8n-tuned-main --timeout=5m >/dev/null

say 'calling the webhook through the Service'
coproc PORTS { exec kubectl -n "$NAMESPACE" port-forward svc/n8n-tuned-main :5678 2>&1; }
FORWARD=$PORTS_PID
read -r line <&"${PORTS[0]}"
PORT=$(sed -E 's/.*127\.0\.0\.1:([0-9]+).*/\1/' <<<"$line")
URL=http://127.0.0.1:$PORT/webhook/webhook-ack
# Service rules lag readiness, and so does the registration of webhooks.
for _ in $(seq 30); do
  answer=$(curl -s -H "x-load-target-token: $TOKEN" "$URL" || true)
  grep -q '"operation":"identify"' <<<"$answer" && break
  sleep 1
done
grep -q '"operation":"identify"' <<<"$answer" || { echo "the webhook did not answer with its proof: $answer" >&2; exit 1; }
[ "$(curl -s -o /dev/null -w '%{http_code}' "$URL")" = 403 ] || { echo 'the webhook answers without its token' >&2; exit 1; }
echo "$answer"
echo 'tests: 1 passed, 0 failed'
