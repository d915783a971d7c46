{{/*
Overload protection: how many requests to production paths a process works on at once (hooks/admission/limit-requests). values.yaml
explains the formula at `overload`. Everything is in MiB. All templates take (dict "context" "component").
*/}}

{{/* Whether a component's processes admit requests: "true" or "". They do if they take production webhooks and have the hook. */}}
{{- define "n8n-tuned.admits" -}}
{{- if and .context.Values.overload.enabled (ne .component "worker") (include "n8n-tuned.hasHooks" .) -}}
{{- $webhooks := include "n8n-tuned.maxReplicas" (dict "context" .context "component" "webhook") | int -}}
{{- if or (eq .component "webhook") (not $webhooks) -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Executions that requests of this process may run at once: children of own mode, slots of the workers, or the limit of regular
mode; 0 if nothing limits them. Of several pods that admit, each gets one and a half times its share of the slots, since requests
are never spread evenly.
*/}}
{{- define "n8n-tuned.slots" -}}
{{- $values := .context.Values -}}
{{- if include "n8n-tuned.forksExecutions" .context -}}
{{- int $values.executions.own.children -}}
{{- else if eq $values.executions.mode "queue" -}}
{{- $slots := mul (include "n8n-tuned.maxReplicas" (dict "context" .context "component" "worker") | int) (int $values.worker.concurrency) -}}
{{- $pods := include "n8n-tuned.minReplicas" (dict "context" .context "component" .component) | int | max 1 -}}
{{- min $slots (div (add (mul 3 $slots) (sub (mul 2 $pods) 1)) (mul 2 $pods)) -}}
{{- else -}}
{{- include "n8n-tuned.concurrency" . | default 0 -}}
{{- end -}}
{{- end -}}

{{/*
MiB that a request takes while it is under way: one that evaluates an expression where the process executes it, one of version 1 of
the Webhook node in a webhook processor. Most of it is the isolate (run: docs/experiments/request-memory.md).
*/}}
{{- define "n8n-tuned.overload.request" -}}
{{- $executes := and (ne .component "webhook") (ne .context.Values.executions.mode "queue") -}}
{{- if ne (include "n8n-tuned.expressionEngine" .context) "vm" -}}2
{{- else if include "n8n-tuned.hooks.lazyIsolates" . -}}{{ ternary 10 5 $executes }}
{{- else -}}{{ ternary 17 12 $executes }}
{{- end -}}
{{- end -}}

{{/*
What the requests of a process may take, as JSON: `limit` (0: none), `idle` (what n8n takes without a request), `each` (what a
request takes), `room` (for requests), `fit` (requests that fit; -1: no limit), `slots`, `least` (requests admitted even with too
little memory), `most` (the number that is used), and `needed` (the memory limit that would hold `most`, in queue mode
all slots).
A child of own mode has a heap of its own, which `n8n-tuned.heap` computes.
*/}}
{{- define "n8n-tuned.overload" -}}
{{- $values := .context.Values.overload -}}
{{- $in := include "n8n-tuned.heapInput" . | fromJson -}}
{{- $footprint := include "n8n-tuned.footprint" .context | fromJson -}}
{{- $idle := add $footprint.start $footprint.n8n (ternary (add $footprint.runnerStart $footprint.runner) 0 $in.runs) | int -}}
{{- $each := $values.requestMegabytes | default (include "n8n-tuned.overload.request" .) | int -}}
{{- $slots := include "n8n-tuned.slots" . | int -}}
{{- $limit := int $in.limit -}}
{{- $room := max 0 (sub (div (mul $limit 85) 100) $idle) | int -}}
{{- $fit := ternary (div $room $each) -1 (gt $limit 0) | int -}}
{{- $isQueue := eq .context.Values.executions.mode "queue" -}}
{{- $least := ternary (min $slots (int .context.Values.worker.concurrency)) $slots $isQueue | max 5 | int -}}
{{- $useful := ternary $slots 100 $isQueue | int -}}
{{- $most := max $least (ternary (min $useful $fit) $useful (ge $fit 0)) | int -}}
{{- if include "n8n-tuned.forksExecutions" .context -}}{{- $most = $slots -}}{{- end -}}
{{- $most = $values.maxRequests | default $most | int -}}
{{- /* In whole 64 MiB. */ -}}
{{- $wanted := ternary (max $most $slots) $most (and $isQueue (not $values.maxRequests)) | int -}}
{{- $needed := mul 64 (div (add (div (add (mul 100 (add (mul $wanted $each) $idle)) 84) 85) 63) 64) | int -}}
{{- dict "limit" $limit "idle" $idle "each" $each "room" $room "fit" $fit "slots" $slots "least" $least
  "most" $most "needed" $needed | toJson -}}
{{- end -}}

{{/*
Whether the limit is lowered while fewer concurrent requests give the same throughput (hooks/admission/limit-requests): "true" or "false". Not where KEDA adds
workers for the executions that wait and run: with fewer of these executions, KEDA would remove workers in an overload.
*/}}
{{- define "n8n-tuned.overload.isAdaptive" -}}
{{- $values := .context.Values -}}
{{- not (and (eq $values.executions.mode "queue") (eq $values.worker.autoscaling.type "keda")) -}}
{{- end -}}

{{/* Environment variables of the n8n container, as list items, or "". */}}
{{- define "n8n-tuned.overload.env" -}}
{{- if include "n8n-tuned.admits" . -}}
{{- $values := .context.Values.overload -}}
- name: N8N_TUNED_MAX_REQUESTS
  value: {{ (include "n8n-tuned.overload" . | fromJson).most | int | quote }}
- name: N8N_TUNED_ADAPTIVE_LIMIT
  value: {{ include "n8n-tuned.overload.isAdaptive" . | quote }}
- name: N8N_TUNED_MAX_WAITING
  value: {{ $values.queue | int | quote }}
- name: N8N_TUNED_MAX_WAIT_SECONDS
  value: {{ $values.maxWaitSeconds | toString | quote }}
- name: N8N_TUNED_BODY_SECONDS
  value: {{ $values.bodySeconds | int | quote }}
{{- end -}}
{{- end -}}
