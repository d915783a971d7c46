{{/*
The environment of n8n's containers: what all components share, and what one adds. Here stands what each variable's value
is; which of them a version of n8n reads, and so is given, stands in files/environment.yaml.
*/}}

{{/* Shared by every n8n process: they must agree on all of it. */}}
{{- define "n8n-tuned.sharedEnv" -}}
{{- include "n8n-tuned.readEnv" (list . (include "n8n-tuned.sharedEnvOfAnyVersion" .)) -}}
{{- end -}}

{{/* What only this component's process has, its heap above all. Takes (list root component). */}}
{{- define "n8n-tuned.componentEnv" -}}
{{- include "n8n-tuned.readEnv" (list (index . 0) (include "n8n-tuned.componentEnvOfAnyVersion" .)) -}}
{{- end -}}

{{- define "n8n-tuned.sharedEnvOfAnyVersion" -}}
- name: N8N_USER_FOLDER
  value: /home/node
- name: N8N_ENCRYPTION_KEY
  valueFrom:
    secretKeyRef: {{ include "n8n-tuned.encryptionKeyRef" . | nindent 6 }}
- name: EXECUTIONS_MODE
  value: {{ .Values.executions.mode }}
{{- /* The default was own below 1.0. */}}
- name: EXECUTIONS_PROCESS
  value: {{ .Values.executions.process }}
{{- with .Values.executions.timeoutSeconds }}
- name: EXECUTIONS_TIMEOUT
  value: {{ int . | quote }}
{{- end }}
- name: EXECUTIONS_TIMEOUT_MAX
  value: {{ .Values.executions.maxTimeoutSeconds | int | quote }}
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
- name: N8N_GRACEFUL_SHUTDOWN_TIMEOUT
  value: {{ include "n8n-tuned.shutdownSeconds" . | quote }}
- name: QUEUE_WORKER_TIMEOUT
  value: {{ include "n8n-tuned.shutdownSeconds" . | quote }}
{{- with include "n8n-tuned.webhookUrl" . }}
{{- /* The new name and the old one, which is read where there is no new one. */}}
- name: N8N_WEBHOOK_URL
  value: {{ . | quote }}
- name: WEBHOOK_URL
  value: {{ . | quote }}
{{- end }}
{{- if ne (include "n8n-tuned.proxyHops" .) "0" }}
- name: N8N_PROXY_HOPS
  value: {{ include "n8n-tuned.proxyHops" . | quote }}
{{- end }}
- name: N8N_LOG_LEVEL
  value: {{ .Values.logging.level }}
- name: N8N_LOG_FORMAT
  value: {{ .Values.logging.format }}
{{- with .Values.timezone }}
- name: GENERIC_TIMEZONE
  value: {{ . | quote }}
- name: TZ
  value: {{ . | quote }}
{{- end }}
{{- include "n8n-tuned.certificatesEnv" . }}
{{ include "n8n-tuned.binaryDataEnv" . }}
{{ include "n8n-tuned.databaseEnv" . }}
{{- if eq .Values.executions.mode "queue" }}
{{ include "n8n-tuned.redisEnv" . }}
- name: N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED
  value: {{ .Values.executions.queueRetention | int | quote }}
- name: N8N_EXECUTIONS_QUEUE_KEEP_LAST_FAILED
  value: {{ .Values.executions.queueRetention | int | quote }}
{{- end }}
{{- if .Values.metrics.enabled }}
- name: N8N_METRICS
  value: "true"
- name: N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS
  value: "true"
- name: N8N_METRICS_INCLUDE_WORKFLOW_ID_LABEL
  value: "true"
- name: N8N_METRICS_INCLUDE_DB_POOL_METRICS
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
- name: DB_POSTGRESDB_POOL_SIZE
  value: {{ include "n8n-tuned.poolSize" . | quote }}
{{- if and (not $embedded) $external.tls.enabled }}
{{- /* Not DB_POSTGRESDB_SSL, which n8n does not read. */}}
- name: DB_POSTGRESDB_SSL_ENABLED
  value: "true"
- name: DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED
  value: {{ $external.tls.rejectUnauthorized | quote }}
{{- with $external.tls }}
{{- if .existingSecret }}
{{- range $name, $key := dict "CA" .caKey "CERT" .certKey "KEY" .keyKey }}
{{- if $key }}
- name: DB_POSTGRESDB_SSL_{{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $external.tls.existingSecret }}
      key: {{ $key }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- else -}}
- name: DB_TYPE
  value: sqlite
{{- end -}}
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
  value: {{ ternary (include "n8n-tuned.componentName" (list . "redis")) $external.host (eq $embedded "true") | quote }}
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

{{/* Takes (list root component). */}}
{{- define "n8n-tuned.componentEnvOfAnyVersion" -}}
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
{{ include "n8n-tuned.expressionEnv" . }}
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
