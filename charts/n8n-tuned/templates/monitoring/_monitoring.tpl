{{/* What Prometheus scrapes, and the selectors that rules share. */}}

{{/*
Whether a component's n8n serves /metrics: "true" or "" (read: workers do in 1.60 but not in 1.49, webhook processors in 2.27
but not in 2.24). Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.servesMetrics" -}}
{{- $since := index (dict "main" "0.0.0" "worker" "1.60.0" "webhook" "2.27.0") .component -}}
{{- if .context.Values.metrics.enabled -}}
{{- include "n8n-tuned.atLeast" (dict "context" .context "version" $since) -}}
{{- end -}}
{{- end -}}

{{/* Endpoint of a monitor. Takes (dict "context" "component"), and "port" if that is not http. */}}
{{- define "n8n-tuned.scrape" -}}
port: {{ .port | default "http" }}
path: /metrics
interval: {{ .context.Values.metrics.serviceMonitor.interval }}
{{- with .context.Values.metrics.serviceMonitor.scrapeTimeout }}
scrapeTimeout: {{ . }}
{{- end }}
relabelings:
  {{- with .context.Values.metrics.serviceMonitor.relabelings }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  # The same for ServiceMonitor and PodMonitor: rules and dashboard select by it.
  - targetLabel: job
    replacement: {{ include "n8n-tuned.componentName" . }}
{{- with .context.Values.metrics.serviceMonitor.metricRelabelings }}
metricRelabelings: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Field of a monitor's spec that names the release's namespace, where the monitor is in another one. Takes the root context. */}}
{{- define "n8n-tuned.scrapedNamespace" -}}
{{- with .Values.metrics.serviceMonitor.namespace -}}
namespaceSelector:
  matchNames: [{{ $.Release.Namespace }}]
{{- end -}}
{{- end -}}

{{/* Matchers that select the series of a component. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.series" -}}
{{- printf `namespace="%s",job="%s"` .context.Release.Namespace (include "n8n-tuned.componentName" .) -}}
{{- end -}}

{{/* Matchers that select the series of all n8n processes. */}}
{{- define "n8n-tuned.allSeries" -}}
{{- printf `namespace="%s",job=~"%s-(main|worker|webhook)"` .Release.Namespace (include "n8n-tuned.fullname" .) -}}
{{- end -}}

{{/* Selector of a Node.js metric, whose name begins with n8n_ from n8n 1.100 on. Takes (dict "name" "matchers"). */}}
{{- define "n8n-tuned.nodeSeries" -}}
{{- printf `{__name__=~"(n8n_)?%s",%s}` .name .matchers -}}
{{- end -}}

{{/*
Expression for what a counter gained in a time, summed over its series. n8n makes a counter when it counts for the first time, and a
process that restarts or goes away takes it along, so increase() misses the first count of each. Here a counter gains all that it has
when it appears, and when it has less than before. It appears if nobody has seen it for 5 minutes: Prometheus may miss a few scrapes.
Takes (dict "series" "seconds"), and "offset" in seconds if it has one.
*/}}
{{- define "n8n-tuned.gained" -}}
{{- $ago := ternary (printf " offset %ds" (.offset | default 0 | int)) "" (gt (.offset | default 0 | int) 0) -}}
sum(sum_over_time((
  ({{ .series }} - last_over_time({{ .series }}[5m] offset 1m)) >= 0
  or {{ .series }} + 0
)[{{ int .seconds }}s:1m]{{ $ago }}))
{{- end -}}

{{/* Expression for the used percentage of the recorded capacity: the sum over all recorded workloads. */}}
{{- define "n8n-tuned.capacityUsed" -}}
{{- $all := include "n8n-tuned.allSeries" . -}}
{{- $shares := list -}}
{{- range $name, $recorded := .Values.capacity.recordedRate -}}
{{- if kindIs "map" $recorded -}}
{{- $series := printf `n8n_workflow_started_total{%s,workflow_id=~"%s"}` $all (join "|" $recorded.workflowIds) -}}
{{- $shares = append $shares (printf `(sum(rate(%s[5m])) or vector(0)) / %v` $series $recorded.rate) -}}
{{- else -}}
{{- $shares = append $shares (printf `sum(rate(n8n_workflow_started_total{%s}[5m])) / %v` $all $recorded) -}}
{{- end -}}
{{- end -}}
100 * ({{ join "\n  + " $shares }})
{{- end -}}
