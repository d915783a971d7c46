{{/* Refuses an overload protection that the memory does not hold, or that has no effect. */}}

{{- define "n8n-tuned.check.overload" -}}
{{- $values := .Values.overload -}}
{{- $webhook := dict "context" . "component" "webhook" }}
{{- if and (eq (include "n8n-tuned.autoscaler" $webhook) "keda") (include "n8n-tuned.admits" $webhook) }}
{{- $most := (include "n8n-tuned.overload" $webhook | fromJson).most | int }}
{{- $asked := include "n8n-tuned.kedaRequests" $webhook | int }}
{{- if gt $asked (add $most (int $values.queue) | int) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "keda-never-scales"
  "value" (printf "webhook.autoscaling.keda.requests=%d" $asked)
  "why" (printf "a webhook processor works on at most %d requests and lets %d more wait (overload), so it never reaches this number and KEDA never adds a pod"
    $most (int $values.queue))
  "do" (printf "Lower it to %d or less, or remove it" $most)) }}
{{- end }}
{{- end }}
{{- if and $values.enabled $values.maxRequests }}
{{- range (include "n8n-tuned.components" . | fromJson).list }}
{{- $of := dict "context" $ "component" . }}
{{- if include "n8n-tuned.admits" $of }}
{{- $overload := include "n8n-tuned.overload" $of | fromJson }}
{{- $fits := max 1 (int $overload.fit) | int }}
{{- if include "n8n-tuned.forksExecutions" $ }}
{{- if gt (int $overload.most) (int $overload.slots) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "requests-above-children"
  "value" (printf "overload.maxRequests=%d" (int $overload.most))
  "why" (printf "in own mode each request forks a process, and the memory is computed for executions.own.children=%d" (int $overload.slots))
  "do" (printf "Lower it to %d, or raise executions.own.children" (int $overload.slots))) }}
{{- end }}
{{- else if and (ge (int $overload.fit) 0) (gt (int $overload.most) $fits) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "requests-above-memory"
  "value" (printf "overload.maxRequests=%d" (int $overload.most))
  "why" (printf "%d requests of %d MiB and the %d MiB that n8n takes without any are %d MiB, more than 85 %% of %s.resources.limits.memory=%dMi"
    (int $overload.most) (int $overload.each) (int $overload.idle)
    (add (mul $overload.most $overload.each) $overload.idle) . (int $overload.limit))
  "do" (printf "Lower it to %d, raise that limit, or set overload.requestMegabytes to what your requests take (n8n-capacity measures it)"
    $fits)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if $values.enabled }}
{{- range (include "n8n-tuned.components" . | fromJson).list }}
{{- $of := dict "context" $ "component" . }}
{{- if include "n8n-tuned.admits" $of }}
{{- include "n8n-tuned.check.overload.least" $of }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
Refuses a size of requests, or a number of executions or slots, with which the requests that are admitted at the least do not fit. Takes
(dict "context" "component").
*/}}
{{- define "n8n-tuned.check.overload.least" -}}
{{- $values := .context.Values }}
{{- $overload := include "n8n-tuned.overload" . | fromJson }}
{{- $needed := add (mul $overload.most $overload.each) $overload.idle | int }}
{{- $given := "" }}
{{- if $values.overload.requestMegabytes }}
{{- $given = printf "overload.requestMegabytes=%d" (int $values.overload.requestMegabytes) }}
{{- else if eq $values.executions.mode "queue" }}
{{- /* A limit below what n8n takes without any request is refused as such. */}}
{{- if gt (int $overload.limit) (int $overload.idle) }}{{ $given = printf "worker.concurrency=%d" (int $values.worker.concurrency) }}{{ end }}
{{- else if $values.executions.concurrencyLimit }}
{{- $given = printf "executions.concurrencyLimit=%d" (int $values.executions.concurrencyLimit) }}
{{- end }}
{{- $isComputed := not (or $values.overload.maxRequests (include "n8n-tuned.forksExecutions" .context)) }}
{{- if and $given $isComputed (ge (int $overload.fit) 0) (gt $needed (int $overload.limit)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "requests-above-memory"
  "value" $given
  "why" (printf "%s works on %d requests at least; of %d MiB each and with the %d MiB that n8n takes without any they are %d MiB, %s"
    .component (int $overload.most) (int $overload.each) (int $overload.idle) $needed
    (printf "more than %s.resources.limits.memory=%dMi" .component (int $overload.limit)))
  "do" (printf "Raise that limit to %dMi, lower the value, or set overload.requestMegabytes to what your requests take (n8n-capacity measures it)"
    (int $overload.needed))) }}
{{- end }}
{{- end -}}
