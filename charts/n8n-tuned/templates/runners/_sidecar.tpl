{{/* The sidecar that runs n8n's task runners in a container of their own. */}}

{{/* Whether Kubernetes has native sidecars, which start before n8n and end after it: "true" or "". Takes the root context. */}}
{{- define "n8n-tuned.nativeSidecars" -}}
{{- if semverCompare ">=1.29.0-0" .Capabilities.KubeVersion.Version -}}true{{- end -}}
{{- end -}}

{{/*
Memory of a sidecar in MiB, as JSON: `limit` (0: none), `headroom`, `heap` (of the JavaScript runner; 0: no flag), `given`
(that heap as the values set it; 0: computed), `javascript` (whether it has that runner). Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.sidecarHeap" -}}
{{- $values := .context.Values -}}
{{- $footprint := include "n8n-tuned.footprint" .context | fromJson -}}
{{- $javascript := has "javascript" $values.taskRunners.types -}}
{{- $python := has "python" $values.taskRunners.types -}}
{{- $memory := include "n8n-tuned.mebibytes" (dig "limits" "memory" "" ($values.taskRunners.resources | default dict)) -}}
{{- $limit := $memory | default 0 | int -}}
{{- /* 32 MiB for the launcher. */ -}}
{{- $fixed := add 32 (ternary (int $footprint.runner) 0 $javascript) (ternary 128 0 $python) | int -}}
{{- $headroom := max $fixed (div (mul $limit (int $values.heap.headroom.share)) 100) | int -}}
{{- $given := get (index $values .component).heap "runner" | default 0 | int -}}
{{- $heap := 0 -}}
{{- if and $values.heap.enabled $javascript -}}
{{- $heap = $given | default (max 0 (sub $limit $headroom) | int) -}}
{{- end -}}
{{- dict "limit" $limit "hasLimit" (ne $memory "") "headroom" $headroom "heap" $heap "given" $given
  "javascript" $javascript | toJson -}}
{{- end -}}

{{/* The sidecar, as one item of a list of containers. Takes (list root component). */}}
{{- define "n8n-tuned.runnerContainer" -}}
{{- $root := .context -}}
{{- $values := $root.Values.taskRunners -}}
{{- $heap := include "n8n-tuned.sidecarHeap" . | fromJson -}}
- name: runner
  image: {{ printf "%s:%s" $values.image.repository ($values.image.tag | default (include "n8n-tuned.version" $root)) | quote }}
  imagePullPolicy: {{ $root.Values.image.pullPolicy }}
  {{- if include "n8n-tuned.nativeSidecars" $root }}
  # Makes it a sidecar: it is there before n8n starts, and until n8n has ended.
  restartPolicy: Always
  {{- end }}
  args: {{ toJson $values.types }}
  env:
    - name: N8N_RUNNERS_AUTH_TOKEN
      valueFrom:
        secretKeyRef: {{ include "n8n-tuned.runnersAuthTokenRef" $root | nindent 10 }}
    - name: N8N_RUNNERS_TASK_BROKER_URI
      value: http://127.0.0.1:{{ int $values.brokerPort }}
    - name: N8N_RUNNERS_MAX_CONCURRENCY
      value: {{ int $values.maxConcurrency | quote }}
    - name: N8N_RUNNERS_TASK_TIMEOUT
      value: {{ int $values.taskTimeoutSeconds | quote }}
    # The launcher ends an idle runner after 15 s, and the next task waits for another one; its memory is reserved anyway.
    - name: N8N_RUNNERS_AUTO_SHUTDOWN_TIMEOUT
      value: "0"
    # A sidecar proper is asked to end when n8n has ended, and has the margin for that; any other is asked together with
    # n8n, whose executions still need it. Else the launcher waits for a task for 50 s (read: its sources).
    {{- $seconds := ternary (max 1 (int $root.Values.gracefulShutdown.marginSeconds)) (include "n8n-tuned.shutdownSeconds" $root | int) (eq (include "n8n-tuned.nativeSidecars" $root) "true") }}
    {{- range $name := list "N8N_RUNNERS_GRACEFUL_SHUTDOWN_TIMEOUT" "N8N_RUNNERS_LAUNCHER_GRACEFUL_SHUTDOWN_TIMEOUT" }}
    - name: {{ $name }}
      value: {{ $seconds | quote }}
    {{- end }}
    - name: N8N_RUNNERS_LAUNCHER_HEALTH_CHECK_PORT
      value: "5680"
    {{- if $heap.heap }}
    # The launcher passes it on to the JavaScript runner.
    - name: NODE_OPTIONS
      value: --max-old-space-size={{ int $heap.heap }}
    {{- end }}
    {{- with $root.Values.timezone }}
    - name: GENERIC_TIMEZONE
      value: {{ . | quote }}
    {{- end }}
  ports:
    - name: runner-health
      containerPort: 5680
  # Answers before n8n is there: the launcher waits for the broker as long as it takes.
  startupProbe: {{ include "n8n-tuned.runnerProbe" $root.Values.probes.startup | nindent 4 }}
  livenessProbe: {{ include "n8n-tuned.runnerProbe" $root.Values.probes.liveness | nindent 4 }}
  readinessProbe: {{ include "n8n-tuned.runnerProbe" $root.Values.probes.readiness | nindent 4 }}
  resources: {{ toYaml $values.resources | nindent 4 }}
  securityContext: {{ include "n8n-tuned.readOnlyContainer" $root | nindent 4 }}
  volumeMounts:
    - name: runner-tmp
      mountPath: /tmp
{{- end -}}

{{- define "n8n-tuned.runnerProbe" -}}
httpGet:
  path: /healthz
  port: runner-health
{{ toYaml . }}
{{- end -}}
