{{/*
The connections that n8n may open to PostgreSQL, at the moment of a roll when there are most of them, as JSON: `mains`,
`workers`, `webhooks`, `surge` (processes more while they roll), `pool` (of each), `sum`; `max`, `reserved` and `room` of
the server (0: not known), `value` that gives it.
*/}}
{{- define "n8n-tuned.connections" -}}
{{- $embedded := include "n8n-tuned.embedsPostgresql" . -}}
{{- $mains := include "n8n-tuned.maxReplicas" (list . "main") | int -}}
{{- $workers := 0 -}}{{- $webhooks := 0 -}}
{{- $surge := 0 -}}
{{- if eq .Values.executions.mode "queue" -}}
{{- $workers = include "n8n-tuned.maxReplicas" (list . "worker") | int -}}
{{- $webhooks = include "n8n-tuned.maxReplicas" (list . "webhook") | int -}}
{{- if gt $webhooks 0 -}}{{- $surge = 1 -}}{{- end -}}
{{- end -}}
{{- $pool := include "n8n-tuned.poolSize" . | int -}}
{{- $sum := mul (add $mains $workers $webhooks $surge) $pool | int -}}
{{- $max := ternary .Values.postgresql.maxConnections .Values.externalPostgresql.maxConnections (eq $embedded "true") | default 0 | int -}}
{{- $reserved := ternary (int .Values.postgresql.reservedConnections) 0 (eq $embedded "true") -}}
{{- $value := ternary "postgresql.maxConnections" "externalPostgresql.maxConnections" (eq $embedded "true") -}}
{{- dict "mains" $mains "workers" $workers "webhooks" $webhooks "surge" $surge "pool" $pool "sum" $sum "max" $max "reserved" $reserved "room" (sub $max $reserved) "value" $value | toJson -}}
{{- end -}}

{{/* That sum as it is said: what is added, and to how much. */}}
{{- define "n8n-tuned.connectionSum" -}}
{{- $c := include "n8n-tuned.connections" . | fromJson -}}
{{- $terms := list (printf "%d main" (int $c.mains)) -}}
{{- if $c.workers -}}{{- $terms = append $terms (printf "%d workers" (int $c.workers)) -}}{{- end -}}
{{- if $c.webhooks -}}{{- $terms = append $terms (printf "%d webhook processors" (int $c.webhooks)) -}}{{- end -}}
{{- if $c.surge -}}{{- $terms = append $terms (printf "%d more while they roll" (int $c.surge)) -}}{{- end -}}
{{- printf "(%s) × %d connections (database.poolSize) = %d" (join " + " $terms) (int $c.pool) (int $c.sum) -}}
{{- end -}}

{{- define "n8n-tuned.check.connections" -}}
{{- $problems := list -}}
{{- if eq .Values.database.type "postgresql" -}}
{{- $c := include "n8n-tuned.connections" . | fromJson -}}
{{- if and $c.max (gt (int $c.sum) (int $c.room)) -}}
{{- $scales := or (ne .Values.worker.autoscaling.type "none") (ne .Values.webhook.autoscaling.type "none") -}}
{{- $problems = append $problems (printf "%s, but %s=%d less %d reserved leaves %d. Lower database.poolSize or worker.%s, or raise %s to %d." (include "n8n-tuned.connectionSum" .) $c.value (int $c.max) (int $c.reserved) (int $c.room) (ternary "autoscaling.maxReplicas" "replicas" $scales) $c.value (add (int $c.sum) (int $c.reserved))) -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}
