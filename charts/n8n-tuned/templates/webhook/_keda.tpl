{{/* Requests per webhook processor at which KEDA adds one. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.kedaRequests" -}}
{{- $most := (include "n8n-tuned.overload" . | fromJson).most | int -}}
{{- .context.Values.webhook.autoscaling.keda.requests | default (max 1 (div $most 2)) | int -}}
{{- end -}}
