{{/* Refuses a rescue that could start nothing again. */}}

{{- define "n8n-tuned.check.rescue" -}}
{{- if .Values.rescue.enabled }}
{{- if not .Values.rescue.apiKey.existingSecret }}
{{ include "n8n-tuned.refusal" (dict
  "code" "rescue-without-key"
  "value" "rescue.apiKey.existingSecret"
  "why" "it is empty, and the rescue asks n8n's public API"
  "do" "Create an API key in the editor (scopes workflow:list, execution:list, execution:read and execution:retry), put it in a Secret and set its name") }}
{{- end }}
{{- if not (include "n8n-tuned.atLeast" (dict "context" . "version" "2.41.0")) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "rescue-unsupported"
  "value" "rescue.enabled=true"
  "why" (printf "n8n %s does not list crashed executions; 2.41 and newer do" (include "n8n-tuned.version" .))
  "do" "Set it to false, or image.tag to 2.41.0 or newer") }}
{{- end }}
{{- range $name := list "saveOnError" "saveOnSuccess" }}
{{- /* In queue mode n8n notes a retry that succeeded even if it is not saved. */}}
{{- $tells := and (eq $name "saveOnSuccess") (eq $.Values.executions.mode "queue") }}
{{- if and (eq (get $.Values.executions.data $name) "none") (not $tells) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "rescue-without-saving"
  "value" (printf "executions.data.%s=none" $name)
  "why" "rescue.enabled=true, and the rescue sees how a retry ended only if n8n keeps its data"
  "do" "Set it to all, or rescue.enabled=false") }}
{{- end }}
{{- end }}
{{- if and (eq .Values.executions.mode "queue") (not .Values.executions.recovery.keepInput) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "rescue-without-input"
  "value" "executions.recovery.keepInput=false"
  "why" "rescue.enabled=true, and an execution whose worker died could not be started again without its input"
  "do" "Set it to true, or rescue.enabled=false") }}
{{- end }}
{{- range include "n8n-tuned.extraEnv" (dict "context" . "components" (list "main")) | fromJsonArray }}
{{- $isOff := and (eq .name "N8N_PUBLIC_API_DISABLED") (has (get . "value" | toString | lower) (list "true" "1")) }}
{{- if or $isOff (eq .name "N8N_PUBLIC_API_ENDPOINT") }}
{{ include "n8n-tuned.refusal" (dict
  "code" "rescue-without-api"
  "value" (printf "extraEnv %s=%v" .name .value)
  "why" "rescue.enabled=true, and the rescue asks n8n's public API at /api/v1"
  "do" "Remove the variable, or set rescue.enabled=false") }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
