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

{{/* The sidecar, as a list item. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.runnerContainer" -}}
{{- $context := .context -}}
{{- $values := $context.Values.taskRunners -}}
{{- $heap := include "n8n-tuned.sidecarHeap" . | fromJson -}}
- name: runner
  image: {{ include "n8n-tuned.imageOf" (dict "context" $context "image" $values.image "tag" (include "n8n-tuned.version" $context)) | quote }}
  imagePullPolicy: {{ $context.Values.image.pullPolicy }}
  {{- if include "n8n-tuned.nativeSidecars" $context }}
  # Makes it a native sidecar: it starts before n8n and ends after it.
  restartPolicy: Always
  {{- end }}
  args: {{ toJson $values.types }}
  env:
    - name: N8N_RUNNERS_AUTH_TOKEN
      valueFrom:
        secretKeyRef: {{- include "n8n-tuned.runnersAuthTokenRef" $context | nindent 10 }}
    - name: N8N_RUNNERS_TASK_BROKER_URI
      value: http://127.0.0.1:{{ int $values.brokerPort }}
    - name: N8N_RUNNERS_MAX_CONCURRENCY
      value: {{ int $values.maxConcurrency | quote }}
    - name: N8N_RUNNERS_TASK_TIMEOUT
      value: {{ int $values.taskTimeoutSeconds | quote }}
    # By default the launcher stops an idle runner after 15 s, and the next task waits for a new one. Its memory is reserved
    # anyway.
    - name: N8N_RUNNERS_AUTO_SHUTDOWN_TIMEOUT
      value: "0"
    # A native sidecar is stopped after n8n, and has the margin to end. Any other is stopped together with n8n, whose
    # executions still need it. By default the launcher waits 50 s for a task (read: its sources).
    {{- $margin := max 1 (int $context.Values.gracefulShutdown.marginSeconds) }}
    {{- $shutdown := include "n8n-tuned.shutdownSeconds" . | int }}
    {{- $seconds := ternary $margin $shutdown (eq (include "n8n-tuned.nativeSidecars" $context) "true") }}
    {{- range $name := list "N8N_RUNNERS_GRACEFUL_SHUTDOWN_TIMEOUT" "N8N_RUNNERS_LAUNCHER_GRACEFUL_SHUTDOWN_TIMEOUT" }}
    - name: {{ $name | quote }}
      value: {{ $seconds | quote }}
    {{- end }}
    - name: N8N_RUNNERS_LAUNCHER_HEALTH_CHECK_PORT
      value: "5680"
    {{- if $heap.heap }}
    # The launcher passes it to the JavaScript runner.
    - name: NODE_OPTIONS
      value: --max-old-space-size={{ int $heap.heap }}
    {{- end }}
    {{- with $context.Values.timezone }}
    - name: GENERIC_TIMEZONE
      value: {{ . | quote }}
    {{- end }}
    {{- with $values.config }}
    # Changes the pod, and so restarts it, when the configuration changes.
    - name: N8N_TUNED_CONFIG
      value: {{ toJson . | sha256sum | trunc 16 | quote }}
    {{- end }}
    {{- with $values.extraEnv }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  ports:
    - name: runner-health
      containerPort: 5680
  # The probes succeed before n8n runs: the launcher waits for the broker without a time limit.
  startupProbe: {{- include "n8n-tuned.runnerProbe" $context.Values.probes.startup | nindent 4 }}
  livenessProbe: {{- include "n8n-tuned.runnerProbe" $context.Values.probes.liveness | nindent 4 }}
  readinessProbe: {{- include "n8n-tuned.runnerProbe" $context.Values.probes.readiness | nindent 4 }}
  resources: {{- toYaml $values.resources | nindent 4 }}
  securityContext: {{- include "n8n-tuned.readOnlyContainer" $context | nindent 4 }}
  volumeMounts:
    {{- include "n8n-tuned.runnerVolumeMounts" $context | nindent 4 }}
    {{- with $values.extraVolumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* The chart's volume mounts of the sidecar, as list items. Takes the root context. */}}
{{- define "n8n-tuned.runnerVolumeMounts" -}}
- name: runner-tmp
  mountPath: /tmp
{{- if .Values.taskRunners.config }}
- name: runner-config
  mountPath: /etc/n8n-task-runners.json
  subPath: n8n-task-runners.json
  readOnly: true
{{- end }}
{{- end -}}

{{/* Volumes of a pod for its sidecar, as list items, or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.runnerVolumes" -}}
{{- if include "n8n-tuned.hasRunnerSidecar" . -}}
{{- $values := .context.Values -}}
{{- $tmp := dict "name" "runner-tmp" "emptyDir" (dict "sizeLimit" $values.temporaryFiles.sizeLimit) -}}
{{- $items := list $tmp -}}
{{- if $values.taskRunners.config -}}
{{- $name := include "n8n-tuned.componentName" (dict "context" .context "component" "runners") -}}
{{- $items = append $items (dict "name" "runner-config" "configMap" (dict "name" $name)) -}}
{{- end -}}
{{- concat $items ($values.taskRunners.extraVolumes | default list) | toYaml -}}
{{- end -}}
{{- end -}}

{{/* An HTTP probe of the sidecar. Takes its timing. */}}
{{- define "n8n-tuned.runnerProbe" -}}
httpGet:
  path: /healthz
  port: runner-health
{{ toYaml . }}
{{- end -}}
