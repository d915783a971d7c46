{{/* Refuses monitors, dashboards and alerts for metrics that n8n does not serve. */}}

{{- define "n8n-tuned.check.monitoring" -}}
{{- $metrics := .Values.metrics -}}
{{- if not $metrics.enabled }}
{{- range $name := list "serviceMonitor" "dashboard" "rules" }}
{{- if (index $metrics $name).enabled }}
{{ include "n8n-tuned.refusal" (dict
  "code" "monitoring-without-metrics"
  "value" (printf "metrics.%s.enabled=true" $name)
  "why" "metrics.enabled=false, so n8n serves no metrics"
  "do" (printf "Set metrics.enabled=true, or metrics.%s.enabled=false" $name)) }}
{{- end }}
{{- end }}
{{- end }}
{{- $policy := .Values.networkPolicy }}
{{- $shutOut := or $policy.httpFrom (eq .Values.executions.mode "queue") }}
{{- if and $policy.enabled $metrics.serviceMonitor.enabled (not $policy.metricsFrom) $shutOut }}
{{ include "n8n-tuned.refusal" (dict
  "code" "metrics-shut-in"
  "value" "networkPolicy.metricsFrom"
  "why" (printf "it is empty, so Prometheus, for which metrics.serviceMonitor.enabled=true, cannot reach %s, and reports them as down"
    (ternary "n8n's pods" "the workers" (not (empty $policy.httpFrom))))
  "do" "Set it to the namespace of your Prometheus, for example [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]") }}
{{- end }}
{{- with .Values.capacity.recordedRate }}
{{- $others := sub (len .) 1 | int }}
{{- range $name, $rate := . }}
{{- if and (not (kindIs "map" $rate)) $others }}
{{ include "n8n-tuned.refusal" (dict
  "code" "recorded-rate-counted-twice"
  "value" (printf "capacity.recordedRate.%s=%v" $name $rate)
  "why" (printf "a number counts all executions, and so would count those of %d other workload(s) twice" $others)
  "do" (printf "Write {rate: %v, workflowIds: [...]}" $rate)) }}
{{- end }}
{{- end }}
{{- $webhook := has "webhook" (include "n8n-tuned.components" $ | fromJson).list }}
{{- if and $metrics.rules.enabled $webhook (not (include "n8n-tuned.atLeast" (dict "context" $ "version" "2.27.0"))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "webhook-metrics-unsupported"
  "value" "capacity.recordedRate"
  "why" (printf "webhook processors of n8n %s serve no metrics, so their executions cannot be counted" (include "n8n-tuned.version" $))
  "do" "Remove it, or set webhook.replicas=0, or set image.tag to 2.27.0 or newer") }}
{{- end }}
{{- end }}
{{- end -}}
