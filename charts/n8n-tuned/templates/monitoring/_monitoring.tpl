{{/* Whether a component's n8n serves /metrics (read: workers in 1.60 but not 1.49, webhook processors in 2.27 but not 2.24):
"true" or "". Takes (list root component). */}}
{{- define "n8n-tuned.servesMetrics" -}}
{{- $since := dict "main" "0.0.0" "worker" "1.60.0" "webhook" "2.27.0" -}}
{{- if .context.Values.metrics.enabled -}}{{- include "n8n-tuned.atLeast" (dict "context" .context "version" (index $since .component)) -}}{{- end -}}
{{- end -}}

{{/* How a monitor scrapes. Takes (list root component). */}}
{{- define "n8n-tuned.scrape" -}}
port: http
path: /metrics
interval: {{ .context.Values.metrics.serviceMonitor.interval }}
relabelings:
  # The same of Service and pod; rules and dashboard select by it.
  - targetLabel: job
    replacement: {{ include "n8n-tuned.componentName" . }}
{{- end -}}

{{/* Matchers of one component's series. Takes (list root component). */}}
{{- define "n8n-tuned.series" -}}
{{- printf `namespace="%s",job="%s"` .context.Release.Namespace (include "n8n-tuned.componentName" .) -}}
{{- end -}}

{{/* Matchers of the series of all n8n processes. */}}
{{- define "n8n-tuned.allSeries" -}}
{{- printf `namespace="%s",job=~"%s-(main|worker|webhook)"` .Release.Namespace (include "n8n-tuned.fullname" .) -}}
{{- end -}}

{{/* Matchers of a metric of Node, which n8n 1.100 and newer prefix with n8n_. Takes (list name matchers). */}}
{{- define "n8n-tuned.nodeSeries" -}}
{{- printf `{__name__=~"(n8n_)?%s",%s}` .name .matchers -}}
{{- end -}}

{{/* Least pods of a component while nothing is wrong. Takes (list root component). */}}
{{- define "n8n-tuned.leastReplicas" -}}
{{- $values := .context.Values -}}
{{- if eq .component "main" -}}
{{- ternary (int $values.multiMain.replicas) 1 $values.multiMain.enabled -}}
{{- else -}}
{{- $component := index $values .component -}}
{{- ternary (int $component.replicas) (int $component.autoscaling.minReplicas) (eq $component.autoscaling.type "none") -}}
{{- end -}}
{{- end -}}

{{/* Percentage of the recorded capacity that arrives: the shares of all recorded workloads, added. */}}
{{- define "n8n-tuned.capacityUsed" -}}
{{- $all := include "n8n-tuned.allSeries" . -}}
{{- $shares := list -}}
{{- range $name, $recorded := .Values.capacity.recordedRate -}}
{{- if kindIs "map" $recorded -}}
{{- $shares = append $shares (printf `(sum(rate(n8n_workflow_started_total{%s,workflow_id=~"%s"}[5m])) or vector(0)) / %v` $all (join "|" $recorded.workflowIds) $recorded.rate) -}}
{{- else -}}
{{- $shares = append $shares (printf `sum(rate(n8n_workflow_started_total{%s}[5m])) / %v` $all $recorded) -}}
{{- end -}}
{{- end -}}
100 * ({{ join "\n  + " $shares }})
{{- end -}}
