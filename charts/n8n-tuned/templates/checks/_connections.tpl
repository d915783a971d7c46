{{/* Refuses more database connections than the PostgreSQL server accepts. */}}

{{- define "n8n-tuned.check.connections" -}}
{{- if eq .Values.database.type "postgresql" }}
{{- $c := include "n8n-tuned.connections" . | fromJson }}
{{- if and $c.max (gt (int $c.sum) (int $c.room)) }}
{{- $scales := or (ne .Values.worker.autoscaling.type "none") (ne .Values.webhook.autoscaling.type "none") }}
{{- $workers := printf "worker.%s" (ternary "autoscaling.maxReplicas" "replicas" $scales) }}
{{- $less := ternary "" (printf " minus %d reserved connections" (int $c.reserved)) (eq (int $c.reserved) 0) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "too-many-connections"
  "value" (printf "%s=%d" $c.value (int $c.max))
  "why" (printf "this%s is less than what n8n may open: %s" $less (include "n8n-tuned.connectionSum" .))
  "do" (printf "Lower database.poolSize or %s, or raise %s to %d" $workers $c.value (add (int $c.sum) (int $c.reserved)))) }}
{{- end }}
{{- end }}
{{- end -}}
