{{/* The rules of the PrometheusRule. */}}

{{/*
The recording rule and all alerts, as list items. Takes the root context.
*/}}
{{- define "n8n-tuned.rules" -}}
{{- $items := list
  (include "n8n-tuned.rules.capacity" . | trim)
  (include "n8n-tuned.rules.queue" . | trim)
  (include "n8n-tuned.rules.executions" . | trim)
  (include "n8n-tuned.rules.requests" . | trim) -}}
{{- range $component := (include "n8n-tuned.components" . | fromJson).list -}}
{{- $takes := dict "context" $ "component" $component -}}
{{- if include "n8n-tuned.servesMetrics" $takes -}}
{{- $items = append $items (include "n8n-tuned.rules.component" $takes | trim) -}}
{{- end -}}
{{- end -}}
{{- $items = append $items (include "n8n-tuned.rules.restarts" . | trim) -}}
{{- $items = append $items (include "n8n-tuned.rules.hooks" . | trim) -}}
{{- $items = append $items (include "n8n-tuned.rules.rescue" . | trim) -}}
{{- join "\n" (without $items "") -}}
{{- end -}}

{{/*
An alert, as a list item. Takes (dict "context" "name" "expr" "severity" "summary" "description"), and "for" and "component"
if it has them.
*/}}
{{- define "n8n-tuned.alert" -}}
- alert: {{ .name }}
  expr: |-
    {{- .expr | nindent 4 }}
  {{- with .for }}
  for: {{ . }}
  {{- end }}
  labels:
    severity: {{ .severity }}
    namespace: {{ .context.Release.Namespace | quote }}
    release: {{ include "n8n-tuned.fullname" .context }}
    {{- with .component }}
    component: {{ . }}
    {{- end }}
  annotations:
    summary: {{ .summary | quote }}
    description: {{ .description | quote }}
    runbook_url: {{ include "n8n-tuned.runbook" . }}
{{- end -}}

{{/* Address of the runbook in docs/operate. Takes (dict "context" "name") of an alert. */}}
{{- define "n8n-tuned.runbook" -}}
{{- printf "%s/blob/main/docs/operate/%s.md" .context.Chart.Home (trimPrefix "N8n" .name | kebabcase) -}}
{{- end -}}

{{/* The recording rule of the used capacity, and its alert. */}}
{{- define "n8n-tuned.rules.capacity" -}}
{{- if .Values.capacity.recordedRate -}}
{{- $name := include "n8n-tuned.fullname" . -}}
{{- $threshold := int .Values.capacity.alertAtPercent -}}
- record: n8n_tuned:capacity_used:percent
  expr: |-
    {{- include "n8n-tuned.capacityUsed" . | nindent 4 }}
  labels:
    namespace: {{ .Release.Namespace | quote }}
    release: {{ $name }}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nNearRecordedCapacity" "for" "10m" "severity" "warning"
  "expr" (printf `n8n_tuned:capacity_used:percent{namespace="%s",release="%s"} > %d` .Release.Namespace $name $threshold)
  "summary" (printf "%s is near its recorded capacity." $name)
  "description" (print
    "For 10 min {{ $value | humanize }} % of the recorded executions/s have arrived. "
    (printf "The threshold is %d %%. Add capacity before it is used up: n8n-capacity finds the values that give it." $threshold))) }}
{{- end -}}
{{- end -}}

{{/* Alerts on the queue, in queue mode. Every main reports the counts of the whole queue, hence max. */}}
{{- define "n8n-tuned.rules.queue" -}}
{{- $servesMetrics := include "n8n-tuned.servesMetrics" (dict "context" . "component" "worker") -}}
{{- if and (eq .Values.executions.mode "queue") $servesMetrics -}}
{{- $rules := .Values.metrics.rules -}}
{{- $name := include "n8n-tuned.fullname" . -}}
{{- $all := include "n8n-tuned.allSeries" . -}}
{{- $main := include "n8n-tuned.series" (dict "context" . "component" "main") -}}
{{- $worker := include "n8n-tuned.series" (dict "context" . "component" "worker") -}}
{{- $concurrency := int .Values.worker.concurrency -}}
{{- /* An autoscaler keeps the existing slots nearly full, so the maximum number of slots counts. */}}
{{- $slots := printf "(sum(up{%s}) * %d)" $worker $concurrency -}}
{{- $ofSlots := printf "workers × worker.concurrency=%d" $concurrency -}}
{{- $ofWorkers := dict "context" . "component" "worker" -}}
{{- if include "n8n-tuned.autoscaler" $ofWorkers -}}
{{- $most := include "n8n-tuned.maxReplicas" $ofWorkers | int -}}
{{- $slots = printf "(%d * %d)" $most $concurrency -}}
{{- $ofSlots = printf "worker.autoscaling.maxReplicas=%d × worker.concurrency=%d" $most $concurrency -}}
{{- end -}}
{{- $active := printf `max(n8n_scaling_mode_queue_jobs_active{%s})` $main -}}
{{- $waiting := printf `n8n_scaling_mode_queue_jobs_waiting{%s}` $main -}}
{{- $completed := printf `max(rate(n8n_scaling_mode_queue_jobs_completed{%s}[10m]))` $main -}}
{{- $failed := printf `max(rate(n8n_scaling_mode_queue_jobs_failed{%s}[10m]))` $main -}}
{{- $finished := printf `(%s + %s)` $completed $failed -}}
{{- $stalled := printf `n8n_queue_job_stalled_total{%s}` $all -}}
{{- $enqueued := printf `n8n_queue_job_enqueued_total{%s}` $all -}}
{{- $stuck := int $rules.queueStuckMinutes -}}
{{- $half := mul $stuck 30 }}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nWorkersSaturated" "for" "10m" "severity" "warning"
  "expr" (printf "100 * %s\n  / %s > %d" $active $slots (int $rules.saturationPercent))
  "summary" (printf "The workers of %s are busy." $name)
  "description" (printf
    "For 10 min {{ $value | humanize }} %% of the workers' slots (%s) have run an execution. More executions wait."
    $ofSlots)) }}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nBacklogGrowing" "for" "5m" "severity" "warning"
  "expr" (printf "max(deriv(%s[10m])) > 0.05 * %s\n  and max(min_over_time(%s[10m])) > 0" $waiting $finished $waiting)
  "summary" (printf "The queue of %s is growing." $name)
  "description" (print
    "For 10 min executions have been waiting all the time, and {{ $value | humanize }} per second more arrive than finish: "
    "over 5 % more than the workers can run.")) }}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nQueueWait" "for" "5m" "severity" "warning"
  "expr" (printf "max(%s)\n  / %s > %d" $waiting $finished (int $rules.queueWaitSeconds))
  "summary" (printf "Executions of %s wait long for a worker." $name)
  "description" "At the current rate, an execution that arrives now waits {{ $value | humanizeDuration }}.") }}
{{- /* n8n does not count the jobs of a paused queue as waiting: there, jobs are added and none is active. */}}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nQueueStuck" "for" "1m" "severity" "critical"
  "expr" (print
    (printf "(max(min_over_time(%s[%dm])) > 0\n" $waiting $stuck)
    (printf "  or %s > 0\n" (include "n8n-tuned.gained" (dict "series" $enqueued "seconds" $half "offset" $half)))
    (printf "  and max(max_over_time(n8n_scaling_mode_queue_jobs_active{%s}[%dm])) == 0)\n" $main $stuck)
    (printf "and max(increase(n8n_scaling_mode_queue_jobs_completed{%s}[%dm])) == 0\n" $main $stuck)
    (printf "and max(increase(n8n_scaling_mode_queue_jobs_failed{%s}[%dm])) == 0" $main $stuck))
  "summary" (printf "The queue of %s stands still." $name)
  "description" (printf
    "For %d min executions have waited and none has finished. The workers take no jobs, or each of their slots is held by an execution that does not end."
    $stuck)) }}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nExecutionsLost" "severity" "critical"
  "expr" (printf "%s > 0" (include "n8n-tuned.gained" (dict "series" $stalled "seconds" 1200)))
  "summary" (printf "%s has lost executions." $name)
  "description" (print
    "{{ $value | humanize }} executions stalled in the last 20 min: their worker died, or its event loop was blocked. "
    "n8n does not run them again.")) }}
{{- end -}}
{{- end -}}

{{/* Alerts on failing executions and blocked event loops. */}}
{{- define "n8n-tuned.rules.executions" -}}
{{- $rules := .Values.metrics.rules -}}
{{- $all := include "n8n-tuned.allSeries" . -}}
{{- $of := dict "seconds" 900 -}}
{{- $failed := include "n8n-tuned.gained" (merge (dict "series" (printf `n8n_workflow_failed_total{%s}` $all)) $of) -}}
{{- $succeeded := include "n8n-tuned.gained" (merge (dict "series" (printf `n8n_workflow_success_total{%s}` $all)) $of) -}}
{{- $ended := printf `((%s or vector(0)) + %s)` $succeeded $failed -}}
{{- $lag := include "n8n-tuned.nodeSeries" (dict "name" "nodejs_eventloop_lag_p99_seconds" "matchers" $all) -}}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nExecutionsFailing" "for" "5m" "severity" "warning"
  "expr" (printf "100 * %s\n  / %s > %d\n  and %s >= 10" $failed $ended (int $rules.failedExecutionsPercent) $ended)
  "summary" (printf "Executions of %s fail." (include "n8n-tuned.fullname" .))
  "description" "{{ $value | humanize }} % of the executions of the last 15 min failed.") }}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nEventLoopLag" "for" "5m" "severity" "warning"
  "expr" (printf "%s > %v" $lag (divf (float64 $rules.eventLoopLagMilliseconds) 1000.0))
  "summary" "The event loop of {{ $labels.pod }} is blocked."
  "description" (print
    "One percent of the turns of its event loop start {{ $value | humanizeDuration }} late or more. "
    "During that time the process answers no request.")) }}
{{- end -}}

{{/* Alert on requests that the overload protection refuses. */}}
{{- define "n8n-tuned.rules.requests" -}}
{{- $admits := "" -}}
{{- range $component := list "main" "webhook" -}}
{{- $of := dict "context" $ "component" $component -}}
{{- if and (include "n8n-tuned.admits" $of) (include "n8n-tuned.servesMetrics" $of) -}}{{- $admits = "true" -}}{{- end -}}
{{- end -}}
{{- if $admits -}}
{{- $all := include "n8n-tuned.allSeries" . -}}
{{- $refused := printf `sum(rate(n8n_admission_refused_total{%s,reason!="ending"}[5m]))` $all -}}
{{- $admitted := printf `sum(rate(n8n_admission_admitted_total{%s}[5m]))` $all -}}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nRequestsRefused" "for" "2m" "severity" "warning"
  "expr" (printf "100 * %s\n  / (%s + %s) > %d" $refused $refused $admitted (int .Values.metrics.rules.refusedPercent))
  "summary" (printf "%s refuses requests." (include "n8n-tuned.fullname" .))
  "description" (print
    "{{ $value | humanize }} % of the requests of the last 5 min were answered with 503: more arrive than n8n takes. "
    "Add capacity: in queue mode workers. Only if CPU is free in regular mode, raise the memory limit of main, from which "
    "overload.maxRequests is computed, or lower overload.requestMegabytes if requests take less memory. If CPU is "
    "free and the same ones stay under way, executions that do not end hold the places. If the reason is heap, raise its memory limit or, in "
    "queue mode, add workers.")) }}
{{- end -}}
{{- end -}}

{{/* Alerts on the processes of a component. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.rules.component" -}}
{{- $rules := .context.Values.metrics.rules -}}
{{- $values := index .context.Values .component -}}
{{- $name := include "n8n-tuned.fullname" .context -}}
{{- $series := include "n8n-tuned.series" . -}}
{{- $least := include "n8n-tuned.minReplicas" . | int -}}
{{- if gt $least 0 }}
{{ include "n8n-tuned.alert" (merge (dict "name" "N8nProcessMissing" "for" "5m" "severity" "critical"
  "expr" (printf "(sum(up{%s}) or vector(0)) < %d" $series $least)
  "summary" (printf "%s has too few %s processes." $name .component)
  "description" (printf "For 5 min {{ $value }} of at least %d %s pods have answered Prometheus." $least .component)) .) }}
{{- end }}
{{- /* n8n runs JavaScript on one core, or on less if the limit is below one. */}}
{{- $limit := include "n8n-tuned.millicores" (dig "limits" "cpu" "" ($values.resources | default dict)) | default "1000" | int }}
{{- $cores := divf (float64 (min $limit 1000)) 1000.0 }}
{{- $cpu := include "n8n-tuned.nodeSeries" (dict "name" "process_cpu_seconds_total" "matchers" $series) }}
{{ include "n8n-tuned.alert" (merge (dict "name" "N8nProcessSaturated" "for" "10m" "severity" "warning"
  "expr" (printf "100 * rate(%s[5m]) / %v > %d" $cpu $cores (int $rules.saturationPercent))
  "summary" "{{ $labels.pod }} has no CPU time left."
  "description" (print
    (printf "For 10 min it has used {{ $value | humanize }} %% of %v cores, and n8n runs JavaScript on at most one. " $cores)
    "Add processes: more CPU for this one does not help.")) .) }}
{{- $heap := int (include "n8n-tuned.heap" . | fromJson).n8n }}
{{- if $heap }}
{{- $used := include "n8n-tuned.nodeSeries" (dict "name" "nodejs_heap_size_used_bytes" "matchers" $series) }}
{{ include "n8n-tuned.alert" (merge (dict "name" "N8nHeapNearLimit" "for" "5m" "severity" "warning"
  "expr" (printf "100 * min_over_time(%s[5m])\n  / %d > %d" $used (mul $heap 1048576) (int $rules.heapPercent))
  "summary" "The heap of {{ $labels.pod }} is nearly full."
  "description" (print
    (printf "{{ $value | humanize }} %% of its heap of %d MiB stays in use even after garbage collection. " $heap)
    "At 100 % n8n aborts with 'JavaScript heap out of memory'.")) .) }}
{{- end }}
{{- end -}}

{{/* Alert on hooks that did not recognise this n8n. */}}
{{- define "n8n-tuned.rules.hooks" -}}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nHookInactive" "for" "5m" "severity" "warning"
  "expr" (printf "n8n_tuned_hook_active{%s} == 0" (include "n8n-tuned.allSeries" .))
  "summary" "The hook {{ $labels.hook }} does nothing in {{ $labels.pod }}."
  "description" (print
    "It did not find in n8n {{ $labels.version }} what it changes. n8n runs without it; the log of the pod says what was not found "
    "and what is missing now.")) }}
{{- end -}}

{{/* Alerts on restarts and memory kills. */}}
{{- define "n8n-tuned.rules.restarts" -}}
{{- $started := dict "name" "process_start_time_seconds" "matchers" (include "n8n-tuned.allSeries" .) -}}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nRestarted" "severity" "warning"
  "expr" (printf "changes(%s[30m]) > 0" (include "n8n-tuned.nodeSeries" $started))
  "summary" "n8n in {{ $labels.pod }} was restarted."
  "description" "It restarted {{ $value }} times in 30 min in the same pod: it crashed, was killed, or failed its liveness probe.") }}
{{- if .Values.metrics.rules.kubeStateMetrics }}
{{- $pods := printf `namespace="%s",pod=~"%s-(main|worker|webhook)-.*"` .Release.Namespace (include "n8n-tuned.fullname" .) }}
{{- /* The runners' containers are init containers that go on running (sidecars). */}}
{{- $killed := printf `{__name__=~"kube_pod_(init_)?container_status_last_terminated_reason",%s,reason="OOMKilled"} == 1` $pods }}
{{- $aborted := printf `kube_pod_container_status_last_terminated_exitcode{%s} == 134` $pods }}
{{- $restarts := printf `increase({__name__=~"kube_pod_(init_)?container_status_restarts_total",%s}[30m]) > 0` $pods }}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nOutOfMemory" "severity" "critical"
  "expr" (printf "(%s\n  or %s)\n  and on (namespace, pod, container) %s" $killed $aborted $restarts)
  "summary" "{{ $labels.container }} in {{ $labels.pod }} ran out of memory."
  "description" (print
    "In the last 30 min it was killed at the container's memory limit (OOMKilled), or V8 aborted at its heap limit "
    "(exit code 134). Raise the memory limit: the heap grows with it.")) }}
{{- end }}
{{- end -}}

{{/* Alerts on the rescue. */}}
{{- define "n8n-tuned.rules.rescue" -}}
{{- if .Values.rescue.enabled -}}
{{- $name := include "n8n-tuned.fullname" . -}}
{{- $series := include "n8n-tuned.series" (dict "context" . "component" "rescue") -}}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nRescueGaveUp" "component" "rescue" "severity" "critical"
  "expr" (printf `sum(n8n_rescue_executions{%s,fate=~"failed|given_up|expired|unlisted|unanswered"}) > 0` $series)
  "summary" (printf "Crashed executions of %s are left to people." $name)
  "description" "{{ $value }} crashed executions were started again without success. They are not tried any more.") }}
{{ include "n8n-tuned.alert" (dict "context" . "name" "N8nRescueStopped" "component" "rescue" "for" "5m" "severity" "warning"
  "expr" (printf "(time() - max(n8n_rescue_last_look_timestamp_seconds{%s}) or vector(Inf)) > %d" $series (add 300 (int .Values.rescue.intervalSeconds)))
  "summary" (printf "The rescue of %s cannot ask n8n." $name)
  "description" "For 10 min it has not read n8n's list of executions, so crashed ones are not started again.") }}
{{- end -}}
{{- end -}}
