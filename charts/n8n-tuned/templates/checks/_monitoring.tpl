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
{{- include "n8n-tuned.check.scrapes" . }}
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

{{/* Who scrapes the metrics, and whether it can. */}}
{{- define "n8n-tuned.check.scrapes" -}}
{{- $metrics := .Values.metrics -}}
{{- $monitor := $metrics.serviceMonitor -}}
{{- if and $metrics.enabled $metrics.rules.enabled (not $monitor.enabled) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "rules-without-monitor"
  "value" "metrics.rules.enabled=true"
  "why" "the rules select what metrics.serviceMonitor scrapes by its labels, and metrics.serviceMonitor.enabled=false, so no alert would ever fire"
  "do" "Set metrics.serviceMonitor.enabled=true, or metrics.rules.enabled=false") }}
{{- end }}
{{- $policy := .Values.networkPolicy }}
{{- $shutOut := or $policy.httpFrom (eq .Values.executions.mode "queue") .Values.rescue.enabled }}
{{- if and $policy.enabled $monitor.enabled (not $policy.metricsFrom) $shutOut }}
{{ include "n8n-tuned.refusal" (dict
  "code" "metrics-shut-in"
  "value" "networkPolicy.metricsFrom"
  "why" (printf "it is empty, so Prometheus, for which metrics.serviceMonitor.enabled=true, cannot reach %s, and reports them as down"
    (ternary "n8n's pods" (ternary "the workers" "the rescue" (eq .Values.executions.mode "queue")) (not (empty $policy.httpFrom))))
  "do" "Set it to the namespace of your Prometheus, for example [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]") }}
{{- end }}
{{- $interval := include "n8n-tuned.milliseconds" $monitor.interval | int }}
{{- if gt (include "n8n-tuned.milliseconds" ($monitor.scrapeTimeout | default "") | int) $interval }}
{{ include "n8n-tuned.refusal" (dict
  "code" "scrape-timeout-above-interval"
  "value" (printf "metrics.serviceMonitor.scrapeTimeout=%s" $monitor.scrapeTimeout)
  "why" (printf "it is longer than metrics.serviceMonitor.interval=%s, and prometheus-operator rejects that" $monitor.interval)
  "do" "Lower it, or raise metrics.serviceMonitor.interval") }}
{{- end }}
{{- if and $metrics.rules.enabled $monitor.enabled (gt $interval 120000) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "scrapes-too-seldom"
  "value" (printf "metrics.serviceMonitor.interval=%s" $monitor.interval)
  "why" "the alerts look at the last 5 min, in which a rate needs at least two scrapes: some would never fire"
  "do" "Set it to 2m or less, or metrics.rules.enabled=false") }}
{{- end }}
{{- end -}}
