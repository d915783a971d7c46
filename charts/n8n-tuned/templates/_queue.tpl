{{/* The queue's names in Redis, as Bull in n8n makes them: for all that watches the queue from outside. */}}

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

{{/* Addresses of the external Redis Cluster as host:port, separated by commas; "" where Redis is no cluster. */}}
{{- define "n8n-tuned.redisCluster" -}}
{{- if not (include "n8n-tuned.embedsRedis" .) -}}
{{- join "," .Values.externalRedis.cluster.nodes -}}
{{- end -}}
{{- end -}}

{{/* The value that names the external Redis, as name=value; "" where none is given. */}}
{{- define "n8n-tuned.externalRedis" -}}
{{- with .Values.externalRedis -}}
{{- if .host -}}externalRedis.host={{ .host }}
{{- else if .cluster.nodes -}}externalRedis.cluster.nodes={{ join "," .cluster.nodes }}
{{- end -}}
{{- end -}}
{{- end -}}
