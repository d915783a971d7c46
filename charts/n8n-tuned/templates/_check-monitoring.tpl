{{/* Refuses monitors and rules of metrics that nobody serves. */}}

{{- define "n8n-tuned.check.monitoring" -}}
{{- $problems := list -}}
{{- $metrics := .Values.metrics -}}
{{- if not $metrics.enabled -}}
{{- range $name := list "serviceMonitor" "dashboard" "rules" -}}
{{- if (index $metrics $name).enabled -}}
{{- $problems = append $problems (printf "metrics.%s.enabled=true, but metrics.enabled=false, so n8n serves no metrics. Set metrics.enabled=true, or metrics.%s.enabled=false." $name $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $recorded := .Values.capacity.recordedRate -}}
{{- if $recorded -}}
{{- range $name, $rate := $recorded -}}
{{- if and (not (kindIs "map" $rate)) (gt (len $recorded) 1) -}}
{{- $problems = append $problems (printf "capacity.recordedRate.%s=%v counts all executions, beside %d more workloads that would be counted twice. Give it as {rate: %v, workflowIds: [...]}." $name $rate (sub (len $recorded) 1) $rate) -}}
{{- end -}}
{{- end -}}
{{- if and $metrics.rules.enabled (has "webhook" (include "n8n-tuned.components" . | fromJson).list) (not (include "n8n-tuned.atLeast" (list . "2.27.0"))) -}}
{{- $problems = append $problems (printf "capacity.recordedRate: the webhook processors of n8n %s serve no metrics (they do from 2.27 on), so what arrives there could not be counted. Remove it, or set webhook.replicas=0, or image.tag to 2.27.0 or newer." (include "n8n-tuned.version" .)) -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}
