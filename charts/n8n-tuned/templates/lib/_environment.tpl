{{/*
The environment of n8n's containers: each variable with its value. files/environment.yaml says which of them an n8n version
reads; the others are left out.
*/}}

{{/* The variables of every n8n process, in which all processes must agree. */}}
{{- define "n8n-tuned.sharedEnv" -}}
{{- include "n8n-tuned.readEnv" (dict "context" . "env" (include "n8n-tuned.sharedEnvOfAnyVersion" .)) -}}
{{- end -}}

{{/* The variables of one component, for example its heap. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.componentEnv" -}}
{{- include "n8n-tuned.readEnv" (dict "context" .context "env" (include "n8n-tuned.componentEnvOfAnyVersion" .)) -}}
{{- end -}}

{{- define "n8n-tuned.sharedEnvOfAnyVersion" -}}
- name: N8N_USER_FOLDER
  value: /home/node
{{ include "n8n-tuned.secretVariable" (dict
  "context" . "name" "N8N_ENCRYPTION_KEY" "file" .Values.encryptionKey.file "own" .Values.encryptionKey "key" "encryption-key") }}
- name: EXECUTIONS_MODE
  value: {{ .Values.executions.mode }}
{{- /* n8n below 1.0 defaults to own. */}}
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
{{- with include "n8n-tuned.webhookUrl" . }}
{{- /* n8n shows test URLs below N8N_WEBHOOK_URL, or else below the editor's URL (2.41.1, url.service.js): only main serves these. */}}
{{- $isOnlyUrl := and (not (include "n8n-tuned.editorUrl" $)) (include "n8n-tuned.reads" (dict "context" $ "variable" "N8N_WEBHOOK_URL")) }}
- name: {{ ternary "N8N_WEBHOOK_URL" "WEBHOOK_URL" (eq (toString $isOnlyUrl) "true") }}
  value: {{ . | quote }}
{{- end }}
{{- with include "n8n-tuned.editorUrl" . }}
- name: N8N_EDITOR_BASE_URL
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
{{- if .Values.hardening.enabled }}
- name: N8N_BLOCK_ENV_ACCESS_IN_NODE
  value: "true"
- name: N8N_BLOCK_FILE_ACCESS_TO_N8N_FILES
  value: "true"
{{- /* n8n's default from 2.0 on. */}}
- name: N8N_RESTRICT_FILE_ACCESS_TO
  value: {{ include "n8n-tuned.filesFolder" . }}
{{- if not (contains "\"NODES_EXCLUDE\"" (toJson .Values.extraEnv)) }}
- name: NODES_EXCLUDE
  value: {{ include "n8n-tuned.hardening.excludedNodes" . | squote }}
{{- end }}
- name: N8N_SSRF_PROTECTION_ENABLED
  value: "true"
{{- with .Values.hardening.allowedHosts }}
- name: N8N_SSRF_ALLOWED_HOSTNAMES
  value: {{ join "," . | quote }}
{{- end }}
{{- end }}
{{ include "n8n-tuned.certificatesEnv" . }}
{{ include "n8n-tuned.binaryDataEnv" . }}
{{ include "n8n-tuned.databaseEnv" . }}
{{- if eq .Values.executions.mode "queue" }}
{{ include "n8n-tuned.redisEnv" . }}
- name: N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED
  value: {{ .Values.executions.queueRetention | int | quote }}
- name: N8N_EXECUTIONS_QUEUE_KEEP_LAST_FAILED
  value: {{ .Values.executions.queueRetention | int | quote }}
- name: N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL
  value: {{ .Values.executions.recovery.intervalMinutes | int | quote }}
- name: N8N_EXECUTIONS_QUEUE_RECOVERY_BATCH
  value: {{ .Values.executions.recovery.batchSize | int | quote }}
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

{{- define "n8n-tuned.componentEnvOfAnyVersion" -}}
{{- $context := .context -}}
{{- $component := .component -}}
{{- $heap := include "n8n-tuned.heap" . | fromJson -}}
- name: N8N_GRACEFUL_SHUTDOWN_TIMEOUT
  value: {{ include "n8n-tuned.shutdownSeconds" . | quote }}
- name: QUEUE_WORKER_TIMEOUT
  value: {{ include "n8n-tuned.shutdownSeconds" . | quote }}
{{- if eq $component "worker" }}
{{- /* The health server of a worker listens on this port, not on N8N_PORT (read: scaling/worker-server.js). */}}
- name: QUEUE_HEALTH_CHECK_ACTIVE
  value: "true"
- name: QUEUE_HEALTH_CHECK_PORT
  value: "5678"
{{- else }}
- name: N8N_PORT
  value: "5678"
{{- end }}
{{- if and (eq $component "main") (eq $context.Values.executions.mode "queue") (gt (int $context.Values.webhook.replicas) 0) }}
- name: N8N_DISABLE_PRODUCTION_MAIN_PROCESS
  value: "true"
{{- end }}
{{- /* -1, n8n's default, leaves it to --concurrency of a worker; without it, extraEnvFrom could set another limit. */}}
{{- $limit := ternary $context.Values.executions.concurrencyLimit nil (eq $component "main") }}
- name: N8N_CONCURRENCY_PRODUCTION_LIMIT
  value: {{ ternary -1 $limit (kindIs "invalid" $limit) | int | quote }}
{{ include "n8n-tuned.expressionEnv" . }}
{{- if $heap.n8n }}
- name: NODE_OPTIONS
  value: --max-old-space-size={{ int $heap.n8n }}{{ with $context.Values.heap.semiSpace }} --max-semi-space-size={{ int . }}{{ end }}
    {{- include "n8n-tuned.hooks.preload" . }}
{{- end }}
{{- if and (eq $component "main") $context.Values.multiMain.enabled }}
- name: N8N_MULTI_MAIN_SETUP_ENABLED
  value: "true"
{{- end }}
{{- $license := $context.Values.license }}
{{- if and (eq $component "main") (or $license.existingSecret $license.file) }}
{{ include "n8n-tuned.secretVariable" (dict
  "context" $context "name" "N8N_LICENSE_ACTIVATION_KEY" "file" $license.file "own" $license "key" "") }}
{{- end }}
{{- include "n8n-tuned.runners.env" (dict "context" $context "component" $component "heap" $heap) }}
{{- include "n8n-tuned.packages.env" $context }}
{{- include "n8n-tuned.modules.env" . }}
{{- end -}}
