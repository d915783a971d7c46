{{/* Refuses variables of the queue on which the chart's recovery and scaling rely. */}}

{{- define "n8n-tuned.check.queue" -}}
{{- if eq .Values.executions.mode "queue" }}
{{- $given := dict }}
{{- range include "n8n-tuned.extraEnv" (dict "context" . "components" (list "worker")) | fromJsonArray }}
{{- $_ := set $given .name (get . "value" | toString) }}
{{- end }}
{{- /* n8n's defaults, in milliseconds (read: @n8n/config 2.41.1, scaling-mode.config.js). */}}
{{- $lock := get $given "QUEUE_WORKER_LOCK_DURATION" | default "60000" }}
{{- $renew := get $given "QUEUE_WORKER_LOCK_RENEW_TIME" | default "10000" }}
{{- if lt (int $lock) (mul 2 (int $renew)) }}
{{- $name := ternary "QUEUE_WORKER_LOCK_DURATION" "QUEUE_WORKER_LOCK_RENEW_TIME" (hasKey $given "QUEUE_WORKER_LOCK_DURATION") }}
{{ include "n8n-tuned.refusal" (dict
  "code" "lock-too-short"
  "value" (printf "extraEnv %s=%s" $name (get $given $name))
  "why" (printf "a worker renews its locks every %s ms and holds them for %s ms, so Bull would treat running executions as stalled" $renew $lock)
  "do" "Remove it, or set QUEUE_WORKER_LOCK_DURATION to at least twice QUEUE_WORKER_LOCK_RENEW_TIME") }}
{{- end }}
{{- $stalled := get $given "QUEUE_WORKER_STALLED_INTERVAL" }}
{{- if and $stalled (le (int $stalled) 0) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "stalled-never-found"
  "value" (printf "extraEnv QUEUE_WORKER_STALLED_INTERVAL=%s" $stalled)
  "why" "nothing then finds executions whose worker died: n8n keeps listing them as running, and recovery, rescue and autoscaling rely on it"
  "do" "Remove it") }}
{{- end }}
{{- if has (get $given "N8N_WORKER_POOLS_ENABLED" | lower) (list "true" "1") }}
{{- with get $given "N8N_WORKER_POOL_NAME" }}
{{ include "n8n-tuned.refusal" (dict
  "code" "worker-pool"
  "value" (printf "extraEnv N8N_WORKER_POOL_NAME=%s" .)
  "why" "the chart's workers would run only executions of this pool, and no worker would run the others"
  "do" "Remove it, and deploy the pool's workers separately") }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
