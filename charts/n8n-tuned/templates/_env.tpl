{{/* The environment of n8n's containers: what all components share, what one adds, and which value owns which name. */}}

{{/* Shared by every n8n process: they must agree on all of it. */}}
{{- define "n8n-tuned.sharedEnv" -}}
- name: N8N_USER_FOLDER
  value: /home/node
- name: N8N_ENCRYPTION_KEY
  valueFrom:
    secretKeyRef: {{ include "n8n-tuned.encryptionKeyRef" . | nindent 6 }}
- name: EXECUTIONS_MODE
  value: {{ .Values.executions.mode }}
{{- if not (include "n8n-tuned.atLeast" (list . "1.27.0")) }}
{{- /* The default was own below 1.0; from 1.27 on own ends n8n, so the name is left out. */}}
- name: EXECUTIONS_PROCESS
  value: {{ .Values.executions.process }}
{{- end }}
- name: EXECUTIONS_DATA_SAVE_ON_SUCCESS
  value: {{ .Values.executions.data.saveOnSuccess | quote }}
- name: EXECUTIONS_DATA_SAVE_ON_ERROR
  value: {{ .Values.executions.data.saveOnError | quote }}
- name: EXECUTIONS_DATA_PRUNE
  value: {{ .Values.executions.data.prune.enabled | quote }}
- name: EXECUTIONS_DATA_MAX_AGE
  value: {{ .Values.executions.data.prune.maxAgeHours | int | quote }}
- name: EXECUTIONS_DATA_PRUNE_MAX_COUNT
  value: {{ .Values.executions.data.prune.maxCount | int | quote }}
{{- if include "n8n-tuned.atLeast" (list . "1.22.0") }}
- name: N8N_GRACEFUL_SHUTDOWN_TIMEOUT
  value: {{ include "n8n-tuned.shutdownSeconds" . | quote }}
{{- else }}
- name: QUEUE_WORKER_TIMEOUT
  value: {{ include "n8n-tuned.shutdownSeconds" . | quote }}
{{- end }}
{{- with include "n8n-tuned.webhookUrl" . }}
{{- /* 2.x reads the new name, and the old one where there is no new one; what came before reads the old one. */}}
{{- if include "n8n-tuned.atLeast" (list $ "2.0.0") }}
- name: N8N_WEBHOOK_URL
  value: {{ . | quote }}
{{- end }}
- name: WEBHOOK_URL
  value: {{ . | quote }}
{{- end }}
{{- if and (ne (include "n8n-tuned.proxyHops" .) "0") (include "n8n-tuned.atLeast" (list . "1.27.0")) }}
- name: N8N_PROXY_HOPS
  value: {{ include "n8n-tuned.proxyHops" . | quote }}
{{- end }}
{{ include "n8n-tuned.databaseEnv" . }}
{{- if eq .Values.executions.mode "queue" }}
{{ include "n8n-tuned.redisEnv" . }}
{{- end }}
{{- if .Values.metrics.enabled }}
- name: N8N_METRICS
  value: "true"
- name: N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS
  value: "true"
- name: N8N_METRICS_INCLUDE_WORKFLOW_ID_LABEL
  value: "true"
{{- if eq .Values.executions.mode "queue" }}
- name: N8N_METRICS_INCLUDE_QUEUE_METRICS
  value: "true"
{{- end }}
{{- end }}
{{- end -}}

{{- define "n8n-tuned.databaseEnv" -}}
{{- if eq .Values.database.type "postgresql" -}}
{{- $external := .Values.externalPostgresql -}}
{{- $embedded := include "n8n-tuned.embedsPostgresql" . -}}
{{- $connection := ternary (dict "host" (include "n8n-tuned.componentName" (list . "postgresql")) "port" 5432 "database" .Values.postgresql.database "user" .Values.postgresql.user) $external (eq $embedded "true") -}}
- name: DB_TYPE
  value: postgresdb
- name: DB_POSTGRESDB_HOST
  value: {{ $connection.host | quote }}
- name: DB_POSTGRESDB_PORT
  value: {{ $connection.port | int | quote }}
- name: DB_POSTGRESDB_DATABASE
  value: {{ $connection.database | quote }}
- name: DB_POSTGRESDB_USER
  value: {{ $connection.user | quote }}
- name: DB_POSTGRESDB_PASSWORD
  valueFrom:
    secretKeyRef: {{ include "n8n-tuned.postgresqlPasswordRef" . | nindent 6 }}
{{- if include "n8n-tuned.atLeast" (list . "1.18.0") }}
- name: DB_POSTGRESDB_POOL_SIZE
  value: {{ include "n8n-tuned.poolSize" . | quote }}
{{- end }}
{{- if and (not $embedded) $external.tls.enabled }}
{{- /* Not DB_POSTGRESDB_SSL, which n8n does not read. */}}
- name: DB_POSTGRESDB_SSL_ENABLED
  value: "true"
- name: DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED
  value: {{ $external.tls.rejectUnauthorized | quote }}
{{- end }}
{{- else -}}
- name: DB_TYPE
  value: sqlite
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.redisEnv" -}}
{{- $external := .Values.externalRedis -}}
{{- $embedded := include "n8n-tuned.embedsRedis" . -}}
- name: QUEUE_BULL_REDIS_HOST
  value: {{ ternary (include "n8n-tuned.componentName" (list . "redis")) $external.host (eq $embedded "true") | quote }}
- name: QUEUE_BULL_REDIS_PORT
  value: {{ ternary 6379 $external.port (eq $embedded "true") | int | quote }}
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
- name: QUEUE_BULL_REDIS_DB
  value: {{ $external.database | int | quote }}
{{- if $external.tls.enabled }}
- name: QUEUE_BULL_REDIS_TLS
  value: "true"
{{- end }}
{{- end }}
{{- end -}}

{{/* What only this component's process has, its heap above all. Takes (list root component). */}}
{{- define "n8n-tuned.componentEnv" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $heap := include "n8n-tuned.heap" . | fromJson -}}
{{- if eq $component "worker" -}}
{{- /* A worker's health server listens on the queue's port, not on N8N_PORT (read: scaling/worker-server.js). */ -}}
- name: QUEUE_HEALTH_CHECK_ACTIVE
  value: "true"
- name: QUEUE_HEALTH_CHECK_PORT
  value: "5678"
{{- else -}}
- name: N8N_PORT
  value: "5678"
{{- end }}
{{- if and (eq $component "main") (eq $root.Values.executions.mode "queue") (gt (int $root.Values.webhook.replicas) 0) }}
- name: N8N_DISABLE_PRODUCTION_MAIN_PROCESS
  value: "true"
{{- end }}
{{- if and (eq $component "main") (not (kindIs "invalid" $root.Values.executions.concurrencyLimit)) }}
- name: N8N_CONCURRENCY_PRODUCTION_LIMIT
  value: {{ $root.Values.executions.concurrencyLimit | int | quote }}
{{- end }}
{{- if $heap.n8n }}
- name: NODE_OPTIONS
  value: --max-old-space-size={{ int $heap.n8n }}
{{- end }}
{{- if and (eq $component "main") $root.Values.multiMain.enabled }}
- name: N8N_MULTI_MAIN_SETUP_ENABLED
  value: "true"
{{- end }}
{{- if and (eq $component "main") $root.Values.license.existingSecret }}
- name: N8N_LICENSE_ACTIVATION_KEY
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.license.existingSecret }}
      key: {{ $root.Values.license.existingSecretKey }}
{{- end }}
{{- include "n8n-tuned.runnersEnv" (list $root $component $heap) }}
{{- include "n8n-tuned.packagesEnv" $root }}
{{- end -}}

{{/* The names that the chart sets, and for each what to set instead of it in extraEnv. */}}
{{- define "n8n-tuned.ownedEnv" -}}
N8N_USER_FOLDER: nothing; the chart mounts n8n's folder there
N8N_ENCRYPTION_KEY: encryptionKey.existingSecret
EXECUTIONS_MODE: executions.mode
EXECUTIONS_PROCESS: executions.process
EXECUTIONS_DATA_SAVE_ON_SUCCESS: executions.data.saveOnSuccess
EXECUTIONS_DATA_SAVE_ON_ERROR: executions.data.saveOnError
EXECUTIONS_DATA_PRUNE: executions.data.prune.enabled
EXECUTIONS_DATA_MAX_AGE: executions.data.prune.maxAgeHours
EXECUTIONS_DATA_PRUNE_MAX_COUNT: executions.data.prune.maxCount
N8N_GRACEFUL_SHUTDOWN_TIMEOUT: gracefulShutdown.timeoutSeconds
QUEUE_WORKER_TIMEOUT: gracefulShutdown.timeoutSeconds
N8N_WEBHOOK_URL: webhookUrl
WEBHOOK_URL: webhookUrl
N8N_PROXY_HOPS: proxyHops
DB_TYPE: database.type
DB_POSTGRESDB_HOST: externalPostgresql.host
DB_POSTGRESDB_PORT: externalPostgresql.port
DB_POSTGRESDB_DATABASE: externalPostgresql.database
DB_POSTGRESDB_USER: externalPostgresql.user
DB_POSTGRESDB_PASSWORD: externalPostgresql.existingSecret
DB_POSTGRESDB_POOL_SIZE: database.poolSize
DB_POSTGRESDB_SSL: externalPostgresql.tls.enabled (n8n does not read DB_POSTGRESDB_SSL)
DB_POSTGRESDB_SSL_ENABLED: externalPostgresql.tls.enabled
DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED: externalPostgresql.tls.rejectUnauthorized
QUEUE_BULL_REDIS_HOST: externalRedis.host
QUEUE_BULL_REDIS_PORT: externalRedis.port
QUEUE_BULL_REDIS_PASSWORD: externalRedis.existingSecret
QUEUE_BULL_REDIS_USERNAME: externalRedis.user
QUEUE_BULL_REDIS_DB: externalRedis.database
QUEUE_BULL_REDIS_TLS: externalRedis.tls.enabled
N8N_METRICS: metrics.enabled
N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS: metrics.enabled
N8N_METRICS_INCLUDE_WORKFLOW_ID_LABEL: metrics.enabled
N8N_METRICS_INCLUDE_QUEUE_METRICS: metrics.enabled
QUEUE_HEALTH_CHECK_ACTIVE: nothing; the probes need it
QUEUE_HEALTH_CHECK_PORT: nothing; probes and Services use 5678
N8N_PORT: nothing; probes and Services use 5678
N8N_LISTEN_ADDRESS: nothing; probes and Services reach n8n on every address of the pod
N8N_PROTOCOL: nothing; n8n serves HTTP in the pod, and TLS ends in front of it
N8N_ENDPOINT_HEALTH: nothing; the probes use /healthz
N8N_ENCRYPTION_KEY_FILE: encryptionKey.existingSecret
N8N_DISABLE_PRODUCTION_MAIN_PROCESS: webhook.replicas
N8N_CONCURRENCY_PRODUCTION_LIMIT: executions.concurrencyLimit in regular mode, worker.concurrency in queue mode (there the variable would override --concurrency of every worker)
N8N_RUNNERS_MODE: nothing; the heap of a runner inside n8n's container is part of that container's limit
NODE_OPTIONS: main.heap.n8n, worker.heap.n8n or webhook.heap.n8n (free with heap.enabled=false)
N8N_RUNNERS_MAX_OLD_SPACE_SIZE: main.heap.runner or worker.heap.runner (free with heap.enabled=false)
{{- end -}}
