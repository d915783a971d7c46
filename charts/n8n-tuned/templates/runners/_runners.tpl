{{/* Whether a component's n8n has a task broker, for which there must be a runner: "true" or "". Takes (list root component). */}}
{{- define "n8n-tuned.hasTaskBroker" -}}
{{- $root := .context -}}
{{- if ne .component "webhook" -}}
{{- /* 1.x has one only where asked, and then on every main (read: 1.123). 2.x has none on a main that runs nothing (read: 2.41). */ -}}
{{- if not (include "n8n-tuned.atLeast" (dict "context" $root "version" "2.0.0")) -}}
{{- if eq $root.Values.taskRunners.mode "external" -}}true{{- end -}}
{{- else if not (and (eq .component "main") (include "n8n-tuned.offloadsManual" $root)) -}}true{{- end -}}
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
{{- if and (include "n8n-tuned.hasTaskBroker" .) (eq .context.Values.taskRunners.mode "internal") -}}true{{- end -}}
{{- end -}}

{{/* Whether a component's pod has a task runner in a container of its own: "true" or "". Takes (list root component). */}}
{{- define "n8n-tuned.hasRunnerSidecar" -}}
{{- if and (include "n8n-tuned.hasTaskBroker" .) (eq .context.Values.taskRunners.mode "external") -}}true{{- end -}}
{{- end -}}

{{/* Whether any pod has one: "true" or "". Takes the root. */}}
{{- define "n8n-tuned.hasRunnerSidecars" -}}
{{- $found := "" -}}
{{- range (include "n8n-tuned.components" . | fromJson).list -}}
{{- if include "n8n-tuned.hasRunnerSidecar" (dict "context" $ "component" .) -}}{{- $found = "true" -}}{{- end -}}
{{- end -}}
{{- $found -}}
{{- end -}}

{{/* Secret and key of the token that both ends share. Takes the root. */}}
{{- define "n8n-tuned.runnersAuthTokenRef" -}}
{{- $own := .Values.taskRunners.authToken -}}
name: {{ $own.existingSecret | default (include "n8n-tuned.generatedSecretName" .) }}
key: {{ ternary $own.existingSecretKey "runners-auth-token" (ne $own.existingSecret "") }}
{{- end -}}

{{/* Environment of n8n for its runners. Takes (list root component heap). */}}
{{- define "n8n-tuned.runnersEnv" -}}
{{- $root := .context -}}
{{- $values := $root.Values.taskRunners -}}
{{- $heap := .heap -}}
{{- if include "n8n-tuned.hasTaskBroker" . }}
{{- if not (include "n8n-tuned.atLeast" (dict "context" $root "version" "2.0.0")) }}
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
