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
{{- if not .Values.license.existingSecret }}
{{ include "n8n-tuned.refusal" (dict
  "code" "multi-main-without-licence"
  "value" "license.existingSecret"
  "why" "it is empty, and multiMain.enabled=true needs a licence that includes the feature"
  "do" "Set it to the Secret that holds the activation key, or set multiMain.enabled=false") }}
{{- end }}
{{- if and .Values.main.persistence.enabled (not .Values.main.persistence.existingClaim) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "multi-main-on-one-volume"
  "value" "main.persistence.enabled=true"
  "why" (printf "the %d mains of multiMain.replicas cannot share its ReadWriteOnce volume" (int .Values.multiMain.replicas))
  "do" "Set it to false (the data that must last is in the database), or set main.persistence.existingClaim to a ReadWriteMany claim") }}
{{- end }}
{{- end }}
{{- end -}}
