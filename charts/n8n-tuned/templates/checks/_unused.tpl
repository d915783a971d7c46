{{/* Refuses values that have no effect because another value switches off what they configure. */}}

{{- define "n8n-tuned.check.unused" -}}
{{- $embedsPostgresql := eq (include "n8n-tuned.embedsPostgresql" .) "true" -}}
{{- $embedsRedis := eq (include "n8n-tuned.embedsRedis" .) "true" -}}
{{- $externalRedis := include "n8n-tuned.externalRedis" . -}}
{{- $externalPostgresql := include "n8n-tuned.externalPostgresql" . -}}
{{- $s3 := eq (include "n8n-tuned.binaryDataMode" .) "s3" -}}
{{- $queue := eq .Values.executions.mode "queue" -}}
{{- with .Values -}}
{{- /*
Values for several releases may name what only those in queue mode read. But who asks for more than the default expects more.
*/ -}}
{{- $candidates := dict
  "worker.replicas" (dict
    "content" (ternary (toString .worker.replicas) "" (gt (int .worker.replicas) 2))
    "used" $queue "because" "executions.mode=regular has no workers")
  "worker.concurrency" (dict
    "content" (ternary (toString .worker.concurrency) "" (gt (int .worker.concurrency) 10))
    "used" $queue "because" "executions.mode=regular has no workers")
  "webhook.replicas" (dict
    "content" (ternary (toString .webhook.replicas) "" (gt (int .webhook.replicas) 2))
    "used" $queue "because" "executions.mode=regular has no webhook processors")
  "externalPostgresql.tls.enabled" (dict
    "content" (ternary "true" "" .externalPostgresql.tls.enabled)
    "used" $externalPostgresql "because" "externalPostgresql.host is empty")
  "externalPostgresql.tls.rejectUnauthorized" (dict
    "content" (ternary "" "false" .externalPostgresql.tls.rejectUnauthorized)
    "used" .externalPostgresql.tls.enabled "because" "externalPostgresql.tls.enabled=false")
  "externalRedis.tls.enabled" (dict
    "content" (ternary "true" "" .externalRedis.tls.enabled)
    "used" $externalRedis "because" "externalRedis.host is empty")
  "externalRedis.tls.rejectUnauthorized" (dict
    "content" (ternary "" "false" .externalRedis.tls.rejectUnauthorized)
    "used" .externalRedis.tls.enabled "because" "externalRedis.tls.enabled=false")
  "postgresql.existingSecret" (dict
    "content" .postgresql.existingSecret "used" $embedsPostgresql "because" "no PostgreSQL is embedded")
  "postgresql.parameters" (dict
    "content" (keys (.postgresql.parameters | default dict) | sortAlpha | join ", ")
    "used" $embedsPostgresql "because" "no PostgreSQL is embedded")
  "externalPostgresql.existingSecret" (dict
    "content" .externalPostgresql.existingSecret "used" $externalPostgresql "because" "externalPostgresql.host is empty")
  "externalPostgresql.tls.existingSecret" (dict
    "content" .externalPostgresql.tls.existingSecret
    "used" .externalPostgresql.tls.enabled "because" "externalPostgresql.tls.enabled=false")
  "externalPostgresql.passwordFile" (dict
    "content" .externalPostgresql.passwordFile "used" $externalPostgresql "because" "externalPostgresql.host is empty")
  "externalRedis.passwordFile" (dict
    "content" .externalRedis.passwordFile "used" $externalRedis "because" "externalRedis.host is empty")
  "hardening.allowedHosts" (dict
    "content" (join "," .hardening.allowedHosts) "used" .hardening.enabled "because" "hardening.enabled=false")
  "worker.autoscaling.metrics" (dict
    "content" (ternary "" "[...]" (empty .worker.autoscaling.metrics))
    "used" (eq .worker.autoscaling.type "hpa") "because" "worker.autoscaling.type is not hpa")
  "webhook.autoscaling.metrics" (dict
    "content" (ternary "" "[...]" (empty .webhook.autoscaling.metrics))
    "used" (eq .webhook.autoscaling.type "hpa") "because" "webhook.autoscaling.type is not hpa")
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
