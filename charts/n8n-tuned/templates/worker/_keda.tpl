{{/* KEDA's view of the queue: type of trigger and metadata that all triggers share, as JSON. KEDA runs in another namespace. Takes the root. */}}
{{- define "n8n-tuned.kedaRedis" -}}
{{- $external := .Values.externalRedis -}}
{{- $metadata := dict -}}
{{- $type := "redis" -}}
{{- if include "n8n-tuned.embedsRedis" . -}}
{{- $_ := set $metadata "address" (printf "%s.%s.svc:6379" (include "n8n-tuned.componentName" (dict "context" . "component" "redis")) .Release.Namespace) -}}
{{- else -}}
{{- with include "n8n-tuned.redisCluster" . -}}
{{- $type = "redis-cluster" -}}
{{- $_ := set $metadata "addresses" . -}}
{{- else -}}
{{- $host := ternary $external.host (printf "%s.%s.svc" $external.host .Release.Namespace) (or (contains "." $external.host) (contains ":" $external.host)) -}}
{{- $_ := set $metadata "address" (printf "%s:%d" (ternary (printf "[%s]" $host) $host (contains ":" $host)) (int $external.port)) -}}
{{- $_ := set $metadata "databaseIndex" (toString (int $external.database)) -}}
{{- end -}}
{{- with $external.user -}}{{- $_ := set $metadata "username" . -}}{{- end -}}
{{- if $external.tls.enabled -}}{{- $_ := set $metadata "enableTLS" "true" -}}{{- end -}}
{{- if and $external.tls.enabled (not $external.tls.rejectUnauthorized) -}}{{- $_ := set $metadata "unsafeSsl" "true" -}}{{- end -}}
{{- end -}}
{{- dict "type" $type "metadata" $metadata | toJson -}}
{{- end -}}

{{/* What KEDA takes from Secrets, as a JSON list {"list": [{parameter, name, key}]}. Takes the root. */}}
{{- define "n8n-tuned.kedaSecrets" -}}
{{- $secrets := list -}}
{{- if or (include "n8n-tuned.embedsRedis" .) .Values.externalRedis.existingSecret -}}
{{- $secrets = append $secrets (merge (dict "parameter" "password") (include "n8n-tuned.redisPasswordRef" . | fromYaml)) -}}
{{- end -}}
{{- if and .Values.caCertificates.existingSecret .Values.externalRedis.tls.enabled -}}
{{- $secrets = append $secrets (dict "parameter" "ca" "name" .Values.caCertificates.existingSecret "key" .Values.caCertificates.existingSecretKey) -}}
{{- end -}}
{{- dict "list" $secrets | toJson -}}
{{- end -}}

{{/* Executions for each worker that there should be. Takes the root. */}}
{{- define "n8n-tuned.kedaListLength" -}}
{{- .Values.worker.autoscaling.keda.listLength | default .Values.worker.concurrency | int -}}
{{- end -}}
