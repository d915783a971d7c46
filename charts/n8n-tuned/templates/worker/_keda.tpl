{{/* How KEDA reads the queue. */}}

{{/*
A host name as KEDA reads it: one without a dot is that of a Service in the namespace of the release. Takes (dict "context" "host").
*/}}
{{- define "n8n-tuned.kedaHost" -}}
{{- if or (contains "." .host) (contains ":" .host) -}}{{- .host -}}
{{- else -}}{{- printf "%s.%s.svc" .host .context.Release.Namespace -}}{{- end -}}
{{- end -}}

{{/*
Type and shared metadata of KEDA's triggers, as JSON. KEDA runs in another namespace, so addresses name the namespace. Takes
the root context.
*/}}
{{- define "n8n-tuned.kedaRedis" -}}
{{- $external := .Values.externalRedis -}}
{{- $metadata := dict -}}
{{- $type := "redis" -}}
{{- if include "n8n-tuned.embedsRedis" . -}}
{{- $service := include "n8n-tuned.componentName" (dict "context" . "component" "redis") -}}
{{- $_ := set $metadata "address" (printf "%s.%s.svc:6379" $service .Release.Namespace) -}}
{{- else -}}
{{- with include "n8n-tuned.redisCluster" . -}}
{{- $type = "redis-cluster" -}}
{{- $addresses := list -}}
{{- range splitList "," . -}}
{{- $node := splitList ":" . -}}
{{- $host := include "n8n-tuned.kedaHost" (dict "context" $ "host" (first $node)) -}}
{{- $addresses = append $addresses (printf "%s:%s" $host (last $node)) -}}
{{- end -}}
{{- $_ := set $metadata "addresses" (join "," $addresses) -}}
{{- else -}}
{{- $host := include "n8n-tuned.kedaHost" (dict "context" $ "host" $external.host) -}}
{{- $_ := set $metadata "address" (printf "%s:%d" (ternary (printf "[%s]" $host) $host (contains ":" $host)) (int $external.port)) -}}
{{- $_ := set $metadata "databaseIndex" (toString (int $external.database)) -}}
{{- end -}}
{{- with $external.user -}}{{- $_ := set $metadata "username" . -}}{{- end -}}
{{- if $external.tls.enabled -}}{{- $_ := set $metadata "enableTLS" "true" -}}{{- end -}}
{{- if and $external.tls.enabled (not $external.tls.rejectUnauthorized) -}}{{- $_ := set $metadata "unsafeSsl" "true" -}}{{- end -}}
{{- end -}}
{{- dict "type" $type "metadata" $metadata | toJson -}}
{{- end -}}

{{/* Parameters that KEDA reads from Secrets, as JSON {"list": [{parameter, name, key}]}. Takes the root context. */}}
{{- define "n8n-tuned.kedaSecrets" -}}
{{- $secrets := list -}}
{{- if or (include "n8n-tuned.embedsRedis" .) .Values.externalRedis.existingSecret -}}
{{- $secrets = append $secrets (merge (dict "parameter" "password") (include "n8n-tuned.redisPasswordRef" . | fromYaml)) -}}
{{- end -}}
{{- if and .Values.caCertificates.existingSecret .Values.externalRedis.tls.enabled -}}
{{- $ca := .Values.caCertificates -}}
{{- $secrets = append $secrets (dict "parameter" "ca" "name" $ca.existingSecret "key" $ca.existingSecretKey) -}}
{{- end -}}
{{- dict "list" $secrets | toJson -}}
{{- end -}}

{{/* KEDA's trigger on a list of the queue, as JSON. Takes (dict "context" "name" "key" "target"). */}}
{{- define "n8n-tuned.kedaQueueTrigger" -}}
{{- $redis := include "n8n-tuned.kedaRedis" .context | fromJson -}}
{{- $trigger := dict "type" $redis.type "name" .name
  "metadata" (merge (dict "listName" .key "listLength" .target) $redis.metadata) -}}
{{- if (include "n8n-tuned.kedaSecrets" .context | fromJson).list -}}
{{- $secret := include "n8n-tuned.componentName" (dict "context" .context "component" "worker") -}}
{{- $_ := set $trigger "authenticationRef" (dict "name" $secret) -}}
{{- end -}}
{{- $trigger | toJson -}}
{{- end -}}

{{/* Executions per worker at which KEDA adds a worker. Takes the root context. */}}
{{- define "n8n-tuned.kedaListLength" -}}
{{- .Values.worker.autoscaling.keda.listLength | default .Values.worker.concurrency | int -}}
{{- end -}}
