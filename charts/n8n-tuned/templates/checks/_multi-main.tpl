{{/* Refuses several mains where n8n would not elect a leader, or where they cannot share their volume. */}}

{{- define "n8n-tuned.check.multiMain" -}}
{{- if .Values.multiMain.enabled }}
{{- $value := "multiMain.enabled=true" }}
{{- if not (include "n8n-tuned.atLeast" (dict "context" . "version" "1.27.0")) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "multi-main-unsupported"
  "value" $value
  "why" (printf "n8n %s may not support it; n8n 1.27 and newer do" (include "n8n-tuned.version" .))
  "do" "Set multiMain.enabled=false, or image.tag to 1.27.0 or newer") }}
{{- end }}
{{- if ne .Values.executions.mode "queue" }}
{{ include "n8n-tuned.refusal" (dict
  "code" "multi-main-in-regular-mode"
  "value" $value
  "why" "with executions.mode=regular n8n elects no leader, and every main would run every trigger"
  "do" "Set executions.mode=queue, or multiMain.enabled=false") }}
{{- end }}
{{- if not (or .Values.license.existingSecret .Values.license.file) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "multi-main-without-licence"
  "value" "license.existingSecret"
  "why" "it is empty, and multiMain.enabled=true needs a licence that includes the feature"
  "do" "Set it to the Secret that holds the activation key, or set multiMain.enabled=false") }}
{{- end }}
{{- $persistence := .Values.main.persistence }}
{{- if and $persistence.enabled (not $persistence.existingClaim) (not (has "ReadWriteMany" $persistence.accessModes)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "multi-main-on-one-volume"
  "value" "main.persistence.enabled=true"
  "why" (printf "the %d mains of multiMain.replicas cannot share a %s volume" (int .Values.multiMain.replicas) (join ", " $persistence.accessModes))
  "do" (printf "%s, or %s" "Set it to false (the data that must last is in the database)"
    "set main.persistence.accessModes=[ReadWriteMany], or main.persistence.existingClaim to such a claim")) }}
{{- end }}
{{- end }}
{{- end -}}
