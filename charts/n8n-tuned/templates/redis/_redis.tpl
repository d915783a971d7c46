{{/* Whether the embedded Redis is deployed: "true" or "". */}}
{{- define "n8n-tuned.embedsRedis" -}}
{{- if kindIs "bool" .Values.redis.enabled -}}
{{- if .Values.redis.enabled -}}true{{- end -}}
{{- else if and (eq .Values.executions.mode "queue") (not .Values.externalRedis.host) (not .Values.externalRedis.cluster.nodes) -}}true{{- end -}}
{{- end -}}

{{/* The value that names the external Redis, as name=value; "" where none is given. */}}
{{- define "n8n-tuned.externalRedis" -}}
{{- with .Values.externalRedis -}}
{{- if .host -}}externalRedis.host={{ .host }}
{{- else if .cluster.nodes -}}externalRedis.cluster.nodes={{ join "," .cluster.nodes }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Addresses of the external Redis Cluster as host:port, separated by commas; "" where Redis is no cluster. */}}
{{- define "n8n-tuned.redisCluster" -}}
{{- if not (include "n8n-tuned.embedsRedis" .) -}}
{{- join "," .Values.externalRedis.cluster.nodes -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.redisPasswordRef" -}}
{{- $own := ternary .Values.redis .Values.externalRedis (eq (include "n8n-tuned.embedsRedis" .) "true") -}}
name: {{ $own.existingSecret | default (include "n8n-tuned.generatedSecretName" .) }}
key: {{ ternary $own.existingSecretKey "redis-password" (ne $own.existingSecret "") }}
{{- end -}}

{{- define "n8n-tuned.redisEnv" -}}
{{- $external := .Values.externalRedis -}}
{{- $embedded := include "n8n-tuned.embedsRedis" . -}}
{{- $cluster := include "n8n-tuned.redisCluster" . -}}
{{- if $cluster }}
- name: QUEUE_BULL_REDIS_CLUSTER_NODES
  value: {{ $cluster | quote }}
{{- else }}
- name: QUEUE_BULL_REDIS_HOST
  value: {{ ternary (include "n8n-tuned.componentName" (dict "context" . "component" "redis")) $external.host (eq $embedded "true") | quote }}
- name: QUEUE_BULL_REDIS_PORT
  value: {{ ternary 6379 $external.port (eq $embedded "true") | int | quote }}
{{- end }}
{{- if or $embedded $external.existingSecret }}
- name: QUEUE_BULL_REDIS_PASSWORD
  valueFrom:
    secretKeyRef: {{ include "n8n-tuned.redisPasswordRef" . | nindent 6 }}
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
{{- end }}
{{- end }}
{{- end -}}

{{/* Prefix of Bull's keys. With Redis Cluster n8n adds the braces itself, so that all keys of the queue share a slot. */}}
{{- define "n8n-tuned.bullPrefix" -}}
{{- $prefix := .Values.externalRedis.prefix | default "bull" -}}
{{- if include "n8n-tuned.redisCluster" . -}}
{{- printf "{%s}" $prefix -}}
{{- else -}}
{{- $prefix -}}
{{- end -}}
{{- end -}}

{{/* The list of executions that wait for a worker. */}}
{{- define "n8n-tuned.queueKey" -}}
{{- include "n8n-tuned.bullPrefix" . -}}:jobs:wait
{{- end -}}

{{/* The list of executions that workers run. */}}
{{- define "n8n-tuned.activeKey" -}}
{{- include "n8n-tuned.bullPrefix" . -}}:jobs:active
{{- end -}}
