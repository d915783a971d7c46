{{/* An alert. Takes (dict root name expr for severity summary description; component where it is of one). */}}
{{- define "n8n-tuned.alert" -}}
- alert: {{ .name }}
  expr: |-
    {{- .expr | nindent 4 }}
  {{- with .for }}
  for: {{ . }}
  {{- end }}
  labels:
    severity: {{ .severity }}
    namespace: {{ .root.Release.Namespace }}
    release: {{ include "n8n-tuned.fullname" .root }}
    {{- with .component }}
    component: {{ . }}
    {{- end }}
  annotations:
    summary: {{ .summary | quote }}
    description: {{ .description | quote }}
{{- end -}}

{{- define "n8n-tuned.rules" -}}
{{- $rules := .Values.metrics.rules -}}
{{- $name := include "n8n-tuned.fullname" . -}}
{{- $all := include "n8n-tuned.allSeries" . -}}
{{- $main := include "n8n-tuned.series" (dict "context" . "component" "main") -}}
{{- $worker := include "n8n-tuned.series" (dict "context" . "component" "worker") -}}
{{- $components := list -}}
{{- range (include "n8n-tuned.components" . | fromJson).list -}}
{{- if include "n8n-tuned.servesMetrics" (dict "context" $ "component" .) -}}{{- $components = append $components . -}}{{- end -}}
{{- end -}}
{{- $alerts := list -}}

{{- if .Values.capacity.recordedRate -}}
{{- $alerts = append $alerts (dict "name" "N8nNearRecordedCapacity" "for" "10m" "severity" "warning"
  "expr" (printf `n8n_tuned:capacity_used:percent{namespace="%s",release="%s"} > %d` .Release.Namespace $name (int .Values.capacity.alertAtPercent))
  "summary" (printf "%s is near the capacity that was recorded for it." $name)
  "description" (printf "{{ $value | humanize }} %% of the recorded executions/s arrive, for 10 min; the threshold is %d %%. Add capacity before the rest is used: n8n-capacity measures which values give it." (int .Values.capacity.alertAtPercent))) -}}
{{- end -}}

{{- /* Every main shows the counts of the whole queue, hence max. */ -}}
{{- if and (eq .Values.executions.mode "queue") (has "worker" $components) -}}
{{- $waiting := printf `n8n_scaling_mode_queue_jobs_waiting{%s}` $main -}}
{{- $finished := printf `(max(rate(n8n_scaling_mode_queue_jobs_completed{%s}[10m])) + max(rate(n8n_scaling_mode_queue_jobs_failed{%s}[10m])))` $main $main -}}
{{- $alerts = append $alerts (dict "name" "N8nWorkersSaturated" "for" "10m" "severity" "warning"
  "expr" (printf "100 * max(n8n_scaling_mode_queue_jobs_active{%s})\n  / (sum(up{%s}) * %d) > %d" $main $worker (int .Values.worker.concurrency) (int $rules.saturationPercent))
  "summary" (printf "The workers of %s are busy." $name)
  "description" (printf "{{ $value | humanize }} %% of the workers' slots (workers × worker.concurrency=%d) run an execution, for 10 min. What arrives beyond that waits." (int .Values.worker.concurrency))) -}}
{{- $alerts = append $alerts (dict "name" "N8nBacklogGrowing" "for" "5m" "severity" "warning"
  "expr" (printf "max(deriv(%s[10m])) > 0.05 * %s\n  and max(min_over_time(%s[10m])) > 0" $waiting $finished $waiting)
  "summary" (printf "The queue of %s grows." $name)
  "description" "For 10 min executions have waited at every moment, and {{ $value | humanize }} a second more arrive than are finished: over 5 % more than the workers take.") -}}
{{- $alerts = append $alerts (dict "name" "N8nQueueWait" "for" "5m" "severity" "warning"
  "expr" (printf "max(%s)\n  / %s > %d" $waiting $finished (int $rules.queueWaitSeconds))
  "summary" (printf "Executions of %s wait long for a worker." $name)
  "description" "At the rate at which executions are finished, one that arrives now waits {{ $value | humanizeDuration }}.") -}}
{{- $alerts = append $alerts (dict "name" "N8nExecutionsLost" "severity" "critical"
  "expr" (printf "sum(n8n_queue_job_stalled_total{%s})\n  - (sum(n8n_queue_job_stalled_total{%s} offset 10m) or vector(0)) > 0" $all $all)
  "summary" (printf "%s has lost executions." $name)
  "description" "{{ $value | humanize }} executions stalled in the last 10 min: their worker died or its event loop was blocked, and n8n does not run them again.") -}}
{{- end -}}

{{- $ended := printf `((sum(increase(n8n_workflow_success_total{%s}[15m])) or vector(0)) + sum(increase(n8n_workflow_failed_total{%s}[15m])))` $all $all -}}
{{- $alerts = append $alerts (dict "name" "N8nExecutionsFailing" "for" "5m" "severity" "warning"
  "expr" (printf "100 * sum(increase(n8n_workflow_failed_total{%s}[15m]))\n  / %s > %d\n  and %s >= 10" $all $ended (int $rules.failedExecutionsPercent) $ended)
  "summary" (printf "Executions of %s fail." $name)
  "description" "{{ $value | humanize }} % of the executions of the last 15 min failed.") -}}

{{- $alerts = append $alerts (dict "name" "N8nEventLoopLag" "for" "5m" "severity" "warning"
  "expr" (printf "%s > %v" (include "n8n-tuned.nodeSeries" (dict "name" "nodejs_eventloop_lag_p99_seconds" "matchers" $all)) (divf (float64 $rules.eventLoopLagMilliseconds) 1000.0))
  "summary" "The event loop of {{ $labels.pod }} is blocked."
  "description" "One in a hundred turns of its event loop comes {{ $value | humanizeDuration }} late; for so long it answers nobody.") -}}

{{- range $component := $components -}}
{{- $series := include "n8n-tuned.series" (dict "context" $ "component" $component) -}}
{{- $values := index $.Values $component -}}

{{- $least := include "n8n-tuned.leastReplicas" (dict "context" $ "component" $component) | int -}}
{{- if gt $least 0 -}}
{{- $alerts = append $alerts (dict "name" "N8nProcessMissing" "component" $component "for" "5m" "severity" "critical"
  "expr" (printf "(sum(up{%s}) or vector(0)) < %d" $series $least)
  "summary" (printf "%s has too few processes of %s." $name $component)
  "description" (printf "{{ $value }} of at least %d pods of %s answer Prometheus, for 5 min." $least $component)) -}}
{{- end -}}

{{- /* JavaScript runs on one core, or on less where the limit is less. */ -}}
{{- $limit := include "n8n-tuned.millicores" (dig "limits" "cpu" "" ($values.resources | default dict)) | default "1000" | int -}}
{{- $cores := divf (float64 (min $limit 1000)) 1000.0 -}}
{{- $alerts = append $alerts (dict "name" "N8nProcessSaturated" "component" $component "for" "10m" "severity" "warning"
  "expr" (printf "100 * rate(%s[5m]) / %v > %d" (include "n8n-tuned.nodeSeries" (dict "name" "process_cpu_seconds_total" "matchers" $series)) $cores (int $rules.saturationPercent))
  "summary" "{{ $labels.pod }} has no processor time left."
  "description" (printf "It uses {{ $value | humanize }} %% of %v cores, for 10 min; n8n's JavaScript does not use more than one. More processes help, more CPU for this one does not." $cores)) -}}

{{- $heap := include "n8n-tuned.heap" (dict "context" $ "component" $component) | fromJson -}}
{{- if $heap.n8n -}}
{{- $alerts = append $alerts (dict "name" "N8nHeapNearLimit" "component" $component "for" "5m" "severity" "warning"
  "expr" (printf "100 * min_over_time(%s[5m])\n  / %d > %d" (include "n8n-tuned.nodeSeries" (dict "name" "nodejs_heap_size_used_bytes" "matchers" $series)) (mul (int $heap.n8n) 1048576) (int $rules.heapPercent))
  "summary" "The heap of {{ $labels.pod }} is nearly full."
  "description" (printf "{{ $value | humanize }} %% of its heap of %d MiB stays used, also after collections. At 100 %% n8n aborts with 'JavaScript heap out of memory'." (int $heap.n8n))) -}}
{{- end -}}
{{- end -}}

{{- $alerts = append $alerts (dict "name" "N8nRestarted" "severity" "warning"
  "expr" (printf "changes(%s[30m]) > 0" (include "n8n-tuned.nodeSeries" (dict "name" "process_start_time_seconds" "matchers" $all)))
  "summary" "n8n in {{ $labels.pod }} was restarted."
  "description" "{{ $value }} times in 30 min, in the same pod: it crashed, was killed, or failed its liveness probe.") -}}

{{- if $rules.kubeStateMetrics -}}
{{- $pods := printf `namespace="%s",pod=~"%s-(main|worker|webhook)-.*"` .Release.Namespace $name -}}
{{- $alerts = append $alerts (dict "name" "N8nOutOfMemory" "severity" "critical"
  "expr" (printf "(kube_pod_container_status_last_terminated_reason{%s,reason=\"OOMKilled\"} == 1\n  or kube_pod_container_status_last_terminated_exitcode{%s} == 134)\n  and on (namespace, pod, container) increase(kube_pod_container_status_restarts_total{%s}[30m]) > 0" $pods $pods $pods)
  "summary" "{{ $labels.container }} in {{ $labels.pod }} ran out of memory."
  "description" "It was killed at the container's limit (OOMKilled), or V8 aborted at its heap's limit (exit code 134), in the last 30 min. Raise the memory limit; the heap follows it.") -}}
{{- end -}}

{{- if .Values.capacity.recordedRate }}
- record: n8n_tuned:capacity_used:percent
  expr: |-
    {{- include "n8n-tuned.capacityUsed" . | nindent 4 }}
  labels:
    namespace: {{ .Release.Namespace }}
    release: {{ $name }}
{{- end }}
{{- range $alerts }}
{{ include "n8n-tuned.alert" (merge (dict "root" $) .) }}
{{- end }}
{{- end -}}
