{{/* Task runners: which processes have one, inside n8n's container or beside it, and how the two ends find each other. */}}

{{/* Whether a component's n8n has a task broker, for which there must be a runner: "true" or "". Takes (list root component). */}}
{{- define "n8n-tuned.hasTaskBroker" -}}
{{- $root := index . 0 -}}
{{- if ne (index . 1) "webhook" -}}
{{- /* 1.x has one only where asked, and then on every main (read: 1.123). 2.x has none on a main that runs nothing (read: 2.41). */ -}}
{{- if not (include "n8n-tuned.atLeast" (list $root "2.0.0")) -}}
{{- if eq $root.Values.taskRunners.mode "external" -}}true{{- end -}}
{{- else if not (and (eq (index . 1) "main") (include "n8n-tuned.offloadsManual" $root)) -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{/* Whether workers run the manual executions too, so that main runs none: "true" or "". Takes the root. */}}
{{- define "n8n-tuned.offloadsManual" -}}
{{- if eq .Values.executions.mode "queue" -}}
{{- $value := get .Values.executions "offloadManual" -}}
{{- if $value -}}true{{- end -}}
{{- range concat .Values.extraEnv .Values.main.extraEnv -}}
{{- if and (eq .name "OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS") (eq (get . "value") "true") (not $value) -}}true{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Whether a component's n8n starts a task runner in its own container: "true" or "". Takes (list root component). */}}
{{- define "n8n-tuned.runsTaskRunner" -}}
{{- if and (include "n8n-tuned.hasTaskBroker" .) (eq (index . 0).Values.taskRunners.mode "internal") -}}true{{- end -}}
{{- end -}}

{{/* Whether a component's pod has a task runner in a container of its own: "true" or "". Takes (list root component). */}}
{{- define "n8n-tuned.hasRunnerSidecar" -}}
{{- if and (include "n8n-tuned.hasTaskBroker" .) (eq (index . 0).Values.taskRunners.mode "external") -}}true{{- end -}}
{{- end -}}

{{/* Whether any pod has one: "true" or "". Takes the root. */}}
{{- define "n8n-tuned.hasRunnerSidecars" -}}
{{- $found := "" -}}
{{- range (include "n8n-tuned.components" . | fromJson).list -}}
{{- if include "n8n-tuned.hasRunnerSidecar" (list $ .) -}}{{- $found = "true" -}}{{- end -}}
{{- end -}}
{{- $found -}}
{{- end -}}

{{/* Whether Kubernetes has sidecars proper, which start before n8n and end after it: "true" or "". Takes the root. */}}
{{- define "n8n-tuned.nativeSidecars" -}}
{{- if semverCompare ">=1.29.0-0" .Capabilities.KubeVersion.Version -}}true{{- end -}}
{{- end -}}

{{/* Secret and key of the token that both ends share. Takes the root. */}}
{{- define "n8n-tuned.runnersAuthTokenRef" -}}
{{- $own := .Values.taskRunners.authToken -}}
name: {{ $own.existingSecret | default (include "n8n-tuned.generatedSecretName" .) }}
key: {{ ternary $own.existingSecretKey "runners-auth-token" (ne $own.existingSecret "") }}
{{- end -}}

{{/* Environment of n8n for its runners. Takes (list root component heap). */}}
{{- define "n8n-tuned.runnersEnv" -}}
{{- $root := index . 0 -}}
{{- $values := $root.Values.taskRunners -}}
{{- $heap := index . 2 -}}
{{- if include "n8n-tuned.hasTaskBroker" . }}
{{- if not (include "n8n-tuned.atLeast" (list $root "2.0.0")) }}
- name: N8N_RUNNERS_ENABLED
  value: "true"
{{- end }}
- name: N8N_RUNNERS_MODE
  value: {{ $values.mode }}
- name: N8N_RUNNERS_BROKER_PORT
  value: {{ int $values.brokerPort | quote }}
- name: N8N_RUNNERS_TASK_TIMEOUT
  value: {{ int $values.taskTimeoutSeconds | quote }}
{{- if eq $values.mode "external" }}
- name: N8N_RUNNERS_AUTH_TOKEN
  valueFrom:
    secretKeyRef: {{ include "n8n-tuned.runnersAuthTokenRef" $root | nindent 6 }}
{{- else }}
- name: N8N_RUNNERS_MAX_CONCURRENCY
  value: {{ int $values.maxConcurrency | quote }}
{{- if $heap.runner }}
{{- /* n8n starts its runner without its own NODE_OPTIONS. */}}
- name: N8N_RUNNERS_MAX_OLD_SPACE_SIZE
  value: {{ int $heap.runner | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
Memory of a sidecar, as JSON: `limit` (0: none), `headroom`, `heap` (0: no flag), `problems`. All in MiB. Takes (list root component).
*/}}
{{- define "n8n-tuned.sidecarHeap" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $types := $root.Values.taskRunners.types -}}
{{- $footprint := include "n8n-tuned.footprint" $root | fromJson -}}
{{- $limit := include "n8n-tuned.mebibytes" (dig "limits" "memory" "" ($root.Values.taskRunners.resources | default dict)) -}}
{{- $headroom := add 32 (ternary (int $footprint.runner) 0 (has "javascript" $types)) (ternary 128 0 (has "python" $types)) | int -}}
{{- if $limit -}}{{- $headroom = max $headroom (div (mul (int $limit) (int $root.Values.heap.headroom.share)) 100) | int -}}{{- end -}}
{{- $given := get (index $root.Values $component).heap "runner" | default 0 | int -}}
{{- $start := int $footprint.runnerStart -}}
{{- $heap := 0 -}}
{{- $problems := list -}}
{{- if not $root.Values.heap.enabled -}}
  {{- if $given -}}
    {{- $problems = append $problems (printf "%s.heap.runner is given, but heap.enabled=false leaves V8's own limit. Remove one of the two." $component) -}}
  {{- end -}}
{{- else if not (has "javascript" $types) -}}
  {{- if $given -}}
    {{- $problems = append $problems (printf "%s.heap.runner=%d, but taskRunners.types has no javascript, and only that runner has such a heap. Remove it." $component $given) -}}
  {{- end -}}
{{- else if and (not $limit) (not $given) -}}
  {{- $problems = append $problems "taskRunners.resources.limits.memory is not set, so there is nothing to compute the sidecar's heap from. Set it, or set heap.enabled=false to leave V8's own limit (which does not see the container's)." -}}
{{- else -}}
  {{- $heap = $given -}}
  {{- if not $given -}}{{- $heap = max 0 (sub (int $limit) $headroom) | int -}}{{- end -}}
  {{- $least := add (max $start $given) $headroom | int -}}
  {{- if and $given (lt $given $start) -}}
    {{- $problems = append $problems (printf "%s.heap.runner=%d: the task runner does not start with less than %d MiB of heap. Set %d or more, or remove it to have it computed." $component $given $start $start) -}}
  {{- else if and $limit (or (lt $heap $start) (gt (add $heap $headroom | int) (int $limit))) -}}
    {{- $problems = append $problems (printf "taskRunners.resources.limits.memory of %s MiB does not hold a headroom of %d MiB and a heap of %d MiB. Raise it to %dMi or more." $limit $headroom (max $start $given | int) (max $least (add 1 (div (mul (sub (max $start $given | int) 1) 100) (sub 100 (int $root.Values.heap.headroom.share)))) | int)) -}}
  {{- end -}}
{{- end -}}
{{- dict "limit" ($limit | default 0 | int) "headroom" $headroom "heap" $heap "problems" $problems | toJson -}}
{{- end -}}

{{/* The sidecar, as one item of a list of containers. Takes (list root component). */}}
{{- define "n8n-tuned.runnerContainer" -}}
{{- $root := index . 0 -}}
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
