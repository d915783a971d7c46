{{/* External hooks of n8n (files/hooks). All templates take (dict "context" "component"). */}}

{{/*
Whether a component's pod has the hooks: "true" or "". Not if the values set EXTERNAL_HOOK_FILES, of which n8n reads only one; and
workers have them only to write the end of an execution again.
*/}}
{{- define "n8n-tuned.hasHooks" -}}
{{- $given := "" -}}
{{- range include "n8n-tuned.extraEnv" (dict "context" .context "components" (list .component)) | fromJsonArray -}}
{{- if eq .name "EXTERNAL_HOOK_FILES" -}}{{- $given = "true" -}}{{- end -}}
{{- end -}}
{{- if and (or (ne .component "worker") (include "n8n-tuned.savesAgain" .context)) (not $given) -}}true{{- end -}}
{{- end -}}

{{/* Whether the end of an execution is written again: "true" or "". n8n 0.x keeps executions elsewhere. Takes the context. */}}
{{- define "n8n-tuned.savesAgain" -}}
{{- if and (int .Values.executions.recovery.saveAgainSeconds) (include "n8n-tuned.atLeast" (dict "context" . "version" "1.0.0")) -}}true{{- end -}}
{{- end -}}

{{/* Environment variables of the n8n container, as list items, or "". */}}
{{- define "n8n-tuned.hooks.env" -}}
{{- if include "n8n-tuned.hasHooks" . -}}
- name: EXTERNAL_HOOK_FILES
  value: /opt/n8n-tuned/hooks.js
{{- if and .context.Values.metrics.enabled (not .context.Values.metrics.public) (ne .component "worker") }}
- name: N8N_TUNED_PRIVATE_METRICS
  value: "true"
{{- end }}
{{- if and (eq .context.Values.executions.mode "queue") .context.Values.executions.recovery.keepInput (ne .component "worker") }}
- name: N8N_TUNED_KEEP_INPUT
  value: "true"
{{- end }}
{{- if include "n8n-tuned.savesAgain" .context }}
- name: N8N_TUNED_SAVE_AGAIN_SECONDS
  value: {{ .context.Values.executions.recovery.saveAgainSeconds | int | quote }}
{{- end }}
{{- with include "n8n-tuned.overload.env" . }}
{{ . }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* Volumes of the pod, as list items, or "". */}}
{{- define "n8n-tuned.hooks.volumes" -}}
{{- if include "n8n-tuned.hasHooks" . -}}
- name: hooks
  configMap:
    name: {{ include "n8n-tuned.componentName" (dict "context" .context "component" "hooks") | quote }}
{{- end -}}
{{- end -}}

{{/* Volume mounts of the n8n container, as list items, or "". */}}
{{- define "n8n-tuned.hooks.volumeMounts" -}}
{{- if include "n8n-tuned.hasHooks" . -}}
- name: hooks
  mountPath: /opt/n8n-tuned
  readOnly: true
{{- end -}}
{{- end -}}
