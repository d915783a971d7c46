{{/* Refuses values that have no effect because another value switches off what they configure. */}}

{{- define "n8n-tuned.check.unused" -}}
{{- $embedsPostgresql := eq (include "n8n-tuned.embedsPostgresql" .) "true" -}}
{{- $embedsRedis := eq (include "n8n-tuned.embedsRedis" .) "true" -}}
{{- $externalRedis := include "n8n-tuned.externalRedis" . -}}
{{- $s3 := eq (include "n8n-tuned.binaryDataMode" .) "s3" -}}
{{- with .Values -}}
{{- $candidates := dict
  "postgresql.existingSecret" (dict
    "content" .postgresql.existingSecret "used" $embedsPostgresql "because" "no PostgreSQL is embedded")
  "postgresql.parameters" (dict
    "content" (keys .postgresql.parameters | sortAlpha | join ", ")
    "used" $embedsPostgresql "because" "no PostgreSQL is embedded")
  "externalPostgresql.existingSecret" (dict
    "content" .externalPostgresql.existingSecret "used" .externalPostgresql.host "because" "externalPostgresql.host is empty")
  "externalPostgresql.tls.existingSecret" (dict
    "content" .externalPostgresql.tls.existingSecret
    "used" .externalPostgresql.tls.enabled "because" "externalPostgresql.tls.enabled=false")
  "redis.existingSecret" (dict
    "content" .redis.existingSecret "used" $embedsRedis "because" "no Redis is embedded")
  "externalRedis.existingSecret" (dict
    "content" .externalRedis.existingSecret "used" $externalRedis "because" "externalRedis.host is empty")
  "externalRedis.prefix" (dict
    "content" .externalRedis.prefix "used" $externalRedis "because" "externalRedis.host is empty")
  "externalRedis.tls.serverName" (dict
    "content" .externalRedis.tls.serverName "used" .externalRedis.tls.enabled "because" "externalRedis.tls.enabled=false")
  "binaryData.s3.bucket" (dict
    "content" .binaryData.s3.bucket "used" $s3 "because" "binaryData.mode is not s3")
  "main.persistence.existingClaim" (dict
    "content" .main.persistence.existingClaim "used" .main.persistence.enabled "because" "main.persistence.enabled=false")
  "loadTargets.existingSecret" (dict
    "content" .loadTargets.existingSecret "used" .loadTargets.enabled "because" "loadTargets.enabled=false") }}
{{- range $path, $candidate := $candidates }}
{{- if and $candidate.content (not $candidate.used) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "no-effect"
  "value" (printf "%s=%s" $path $candidate.content)
  "why" (printf "it has no effect, because %s" $candidate.because)
  "do" "Remove it, or change that") }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
