{{/* Task runners, which run the code of Code nodes: which processes have one, in n8n's container or in a sidecar. */}}

{{/*
Whether a component's n8n has a task broker, and so needs a task runner: "true" or "". Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.hasTaskBroker" -}}
{{- $context := .context -}}
{{- if ne .component "webhook" -}}
{{- /*
n8n 1.x has one only if it is enabled, and then on every main (read: 1.123). 2.x has none on a main that runs no executions
(read: 2.41).
*/ -}}
{{- if not (include "n8n-tuned.atLeast" (dict "context" $context "version" "2.0.0")) -}}
{{- if eq $context.Values.taskRunners.mode "external" -}}true{{- end -}}
{{- else if not (and (eq .component "main") (include "n8n-tuned.offloadsManual" $context)) -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{/* Whether workers also run the manual executions, so that main runs none: "true" or "". Takes the root context. */}}
{{- define "n8n-tuned.offloadsManual" -}}
{{- if eq .Values.executions.mode "queue" -}}
{{- $offloads := "" -}}
{{- range include "n8n-tuned.extraEnv" (dict "context" . "components" (list "main")) | fromJsonArray -}}
{{- if and (eq .name "OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS") (eq (get . "value") "true") -}}{{- $offloads = "true" -}}{{- end -}}
{{- end -}}
{{- $offloads -}}
{{- end -}}
{{- end -}}

{{/* Whether a component's n8n starts a task runner in its own container: "true" or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.runsTaskRunner" -}}
{{- if and (include "n8n-tuned.hasTaskBroker" .) (eq .context.Values.taskRunners.mode "internal") -}}true{{- end -}}
{{- end -}}

{{/* Whether a component's pod has a sidecar with a task runner: "true" or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.hasRunnerSidecar" -}}
{{- if and (include "n8n-tuned.hasTaskBroker" .) (eq .context.Values.taskRunners.mode "external") -}}true{{- end -}}
{{- end -}}

{{/* Whether any pod has such a sidecar: "true" or "". Takes the root context. */}}
{{- define "n8n-tuned.hasRunnerSidecars" -}}
{{- $found := "" -}}
{{- range (include "n8n-tuned.components" . | fromJson).list -}}
{{- if include "n8n-tuned.hasRunnerSidecar" (dict "context" $ "component" .) -}}{{- $found = "true" -}}{{- end -}}
{{- end -}}
{{- $found -}}
{{- end -}}

{{/* Secret and key of the token that n8n and the sidecar share. Takes the root context. */}}
{{- define "n8n-tuned.runnersAuthTokenRef" -}}
{{ include "n8n-tuned.secretRef" (dict "context" . "own" .Values.taskRunners.authToken "key" "runners-auth-token") }}
{{- end -}}

{{/*
Environment variables of n8n for its task runners, as list items, or "". Takes (dict "context" "component" "heap"), `heap`
from n8n-tuned.heap.
*/}}
{{- define "n8n-tuned.runners.env" -}}
{{- $context := .context -}}
{{- $values := $context.Values.taskRunners -}}
{{- $heap := .heap -}}
{{- if include "n8n-tuned.hasTaskBroker" . }}
{{- if not (include "n8n-tuned.atLeast" (dict "context" $context "version" "2.0.0")) }}
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
    secretKeyRef: {{- include "n8n-tuned.runnersAuthTokenRef" $context | nindent 6 }}
{{- else }}
- name: N8N_RUNNERS_MAX_CONCURRENCY
  value: {{ int $values.maxConcurrency | quote }}
{{- if $heap.runner }}
{{- /* n8n does not pass its NODE_OPTIONS to the runner. */}}
- name: N8N_RUNNERS_MAX_OLD_SPACE_SIZE
  value: {{ int $heap.runner | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
