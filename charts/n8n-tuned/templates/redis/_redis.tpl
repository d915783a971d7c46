{{/* Redis, embedded or external, and the queue in it. */}}

{{/* Whether Redis is embedded: "true" or "". */}}
{{- define "n8n-tuned.embedsRedis" -}}
{{- if kindIs "bool" .Values.redis.enabled -}}
{{- if .Values.redis.enabled -}}true{{- end -}}
{{- else if and (eq .Values.executions.mode "queue") (not (include "n8n-tuned.externalRedis" .)) -}}true{{- end -}}
{{- end -}}

{{/* The value that gives the external Redis, as path=content; "" if none is given. */}}
{{- define "n8n-tuned.externalRedis" -}}
{{- with .Values.externalRedis -}}
{{- if .host -}}externalRedis.host={{ .host }}
{{- else if .cluster.nodes -}}externalRedis.cluster.nodes={{ join "," .cluster.nodes }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Nodes of the external Redis Cluster as host:port, separated by commas; "" if Redis is not a cluster. */}}
{{- define "n8n-tuned.redisCluster" -}}
{{- if not (include "n8n-tuned.embedsRedis" .) -}}
{{- join "," .Values.externalRedis.cluster.nodes -}}
{{- end -}}
{{- end -}}

{{/* Secret and key of the password, as fields of a secretKeyRef. */}}
{{- define "n8n-tuned.redisPasswordRef" -}}
{{- $own := ternary .Values.redis .Values.externalRedis (eq (include "n8n-tuned.embedsRedis" .) "true") -}}
{{ include "n8n-tuned.secretRef" (dict "context" . "own" $own "key" "redis-password") }}
{{- end -}}

{{/* MiB that the data of the embedded Redis may take, or "" where it has no memory limit. */}}
{{- define "n8n-tuned.redisMaxMemory" -}}
{{- with include "n8n-tuned.mebibytes" (dig "limits" "memory" "" (.Values.redis.resources | default dict)) -}}
{{- div (mul (int .) (int $.Values.redis.maxMemoryPercent)) 100 | max 1 -}}
{{- end -}}
{{- end -}}

{{/* Environment variables of Redis, as list items. */}}
{{- define "n8n-tuned.redisEnv" -}}
{{- $external := .Values.externalRedis -}}
{{- $embedded := include "n8n-tuned.embedsRedis" . -}}
{{- $cluster := include "n8n-tuned.redisCluster" . -}}
{{- if $cluster -}}
- name: QUEUE_BULL_REDIS_CLUSTER_NODES
  value: {{ $cluster | quote }}
{{- else -}}
{{- $service := include "n8n-tuned.componentName" (dict "context" . "component" "redis") -}}
- name: QUEUE_BULL_REDIS_HOST
  value: {{ ternary $service $external.host (eq $embedded "true") | quote }}
- name: QUEUE_BULL_REDIS_PORT
  value: {{ ternary 6379 $external.port (eq $embedded "true") | int | quote }}
{{- end }}
- name: QUEUE_BULL_REDIS_DUALSTACK
  value: "true"
{{- $file := ternary "" $external.passwordFile (eq $embedded "true") }}
{{- if or $embedded $external.existingSecret $file }}
{{ include "n8n-tuned.secretVariable" (dict
  "context" . "name" "QUEUE_BULL_REDIS_PASSWORD" "file" $file
  "own" (ternary .Values.redis $external (eq $embedded "true")) "key" "redis-password") }}
{{- end }}
{{- if not $embedded }}
{{- with $external.user }}
- name: QUEUE_BULL_REDIS_USERNAME
  value: {{ . | quote }}
{{- end }}
{{- if not $cluster }}
- name: QUEUE_BULL_REDIS_DB
  value: {{ $external.database | int | quote }}
{{- end }}
{{- with $external.prefix }}
- name: QUEUE_BULL_PREFIX
  value: {{ . | quote }}
- name: N8N_REDIS_KEY_PREFIX
  value: {{ . | quote }}
{{- end }}
{{- if $external.tls.enabled }}
- name: QUEUE_BULL_REDIS_TLS
  value: "true"
- name: QUEUE_BULL_REDIS_TLS_VALIDATE_CERTIFICATE
  value: {{ $external.tls.rejectUnauthorized | quote }}
{{- with $external.tls.serverName }}
- name: QUEUE_BULL_REDIS_TLS_SERVERNAME
  value: {{ . | quote }}
{{- end }}
{{- if $cluster }}
{{- /* Otherwise ioredis connects to IP addresses, which are not in the certificate (read: cluster/index.js). */}}
- name: QUEUE_BULL_REDIS_DNS_LOOKUP_STRATEGY
  value: NONE
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
Prefix of the keys of Bull, n8n's queue. With Redis Cluster n8n adds braces itself, so that all keys are in one slot.
*/}}
{{- define "n8n-tuned.bullPrefix" -}}
{{- $prefix := .Values.externalRedis.prefix | default "bull" -}}
{{- if include "n8n-tuned.redisCluster" . -}}
{{- printf "{%s}" $prefix -}}
{{- else -}}
{{- $prefix -}}
{{- end -}}
{{- end -}}

{{/* Key of the list of executions that wait for a worker. */}}
{{- define "n8n-tuned.queueKey" -}}
{{- include "n8n-tuned.bullPrefix" . -}}:jobs:wait
{{- end -}}

{{/* Key of the list of executions that workers run. */}}
{{- define "n8n-tuned.activeKey" -}}
{{- include "n8n-tuned.bullPrefix" . -}}:jobs:active
{{- end -}}
