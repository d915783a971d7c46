{{/* Refuses execution modes and limits that n8n does not have. */}}

{{- define "n8n-tuned.check.executions" -}}
{{- $executions := .Values.executions -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $queue := eq $executions.mode "queue" -}}
{{- if eq $executions.process "own" }}
{{- if include "n8n-tuned.atLeast" (dict "context" . "version" "1.27.0") }}
{{ include "n8n-tuned.refusal" (dict
  "code" "own-mode-removed"
  "value" "executions.process=own"
  "why" (printf "n8n 1.27.0 removed own mode, and n8n %s exits with code -1 when it is set" $version)
  "do" "Set executions.mode=queue to run executions outside the main process, or set image.tag below 1.27") }}
{{- else if $queue }}
{{ include "n8n-tuned.refusal" (dict
  "code" "own-mode-in-queue"
  "value" "executions.process=own"
  "why" "it has no effect in queue mode: workers run the executions, and n8n would fork only manual ones"
  "do" "Set executions.process=main, or executions.mode=regular") }}
{{- end }}
{{- end }}
{{- if not (kindIs "invalid" $executions.concurrencyLimit) }}
{{- $value := printf "executions.concurrencyLimit=%d" (int $executions.concurrencyLimit) }}
{{- if $queue }}
{{ include "n8n-tuned.refusal" (dict
  "code" "concurrency-limit-in-queue"
  "value" $value
  "why" "in queue mode it overrides --concurrency of every worker"
  "do" "Remove it and set worker.concurrency") }}
{{- else if not (include "n8n-tuned.atLeast" (dict "context" . "version" "1.48.0")) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "concurrency-limit-unsupported"
  "value" $value
  "why" (printf "n8n %s does not read it; n8n 1.48 and newer do" $version)
  "do" "Remove it, or set image.tag to 1.48.0 or newer") }}
{{- end }}
{{- end }}
{{- if and $executions.timeoutSeconds (gt (int $executions.timeoutSeconds) (int $executions.maxTimeoutSeconds)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "timeout-above-maximum"
  "value" (printf "executions.timeoutSeconds=%d" (int $executions.timeoutSeconds))
  "why" (printf "it is more than executions.maxTimeoutSeconds=%d, which n8n would use instead" (int $executions.maxTimeoutSeconds))
  "do" "Lower executions.timeoutSeconds, or raise executions.maxTimeoutSeconds") }}
{{- end }}
{{- end -}}
