{{/* Refuses heaps that do not start n8n or its task runner, and heaps that do not fit the memory limit. */}}

{{- define "n8n-tuned.check.heap" -}}
{{- include "n8n-tuned.check.semiSpace" . }}
{{- range (include "n8n-tuned.components" . | fromJson).list }}
{{- include "n8n-tuned.check.componentHeap" (dict "context" $ "component" .) }}
{{- end }}
{{- end -}}

{{/* The young generation. */}}
{{- define "n8n-tuned.check.semiSpace" -}}
{{- $value := printf "heap.semiSpace=%d" (.Values.heap.semiSpace | default 0 | int) }}
{{- if not .Values.heap.semiSpace }}
{{- else if not .Values.heap.enabled }}
{{ include "n8n-tuned.refusal" (dict
  "code" "no-effect"
  "value" $value
  "why" "it has no effect, because heap.enabled=false leaves the heap to V8"
  "do" "Remove one of the two") }}
{{- else if not (include "n8n-tuned.atLeast" (dict "context" . "version" "1.0.0")) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "semi-space-unsupported"
  "value" $value
  "why" (printf "the Node of n8n %s may refuse --max-semi-space-size in NODE_OPTIONS and not start" (include "n8n-tuned.version" .))
  "do" "Remove it, or use n8n 1.0 or newer") }}
{{- end }}
{{- end -}}

{{/* One component: first what keeps a heap from being computed, then the heap. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.check.componentHeap" -}}
{{- $component := .component -}}
{{- $in := include "n8n-tuned.heapInput" . | fromJson -}}
{{- if not .context.Values.heap.enabled }}
{{- if or $in.n8n $in.runner }}
{{ include "n8n-tuned.refusal" (dict
  "code" "no-effect"
  "value" (printf "%s.heap" $component)
  "why" "it has no effect, because heap.enabled=false leaves the limit to V8"
  "do" "Remove one of the two") }}
{{- end }}
{{- else if and $in.hasLimit (not $in.limit) }}
{{- /* n8n-tuned.check.resources refuses it. */}}
{{- else if and $in.runner (not $in.runs) }}
{{- $offloads := eq (include "n8n-tuned.offloadsManual" .context) "true" }}
{{ include "n8n-tuned.refusal" (dict
  "code" "heap-of-no-runner"
  "value" (printf "%s.heap.runner=%d" $component (int $in.runner))
  "why" (printf "n8n %s runs no task runner there (%s)" (include "n8n-tuned.version" .context)
    (ternary "workers also run the manual executions" "task runners came with 2.0" $offloads))
  "do" "Remove it") }}
{{- else if and (not $in.hasLimit) (not $in.complete) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "heap-without-limit"
  "value" (printf "%s.resources.limits.memory" $component)
  "why" "it is not set, and the heap is computed from it"
  "do" (printf "Set it, or set %s.heap in MiB, or set heap.enabled=false to leave the limit to V8, which may ignore the container's" $component)) }}
{{- else }}
{{- include "n8n-tuned.check.heapFits" (dict "context" .context "component" $component "in" $in) }}
{{- end }}
{{- end -}}

{{/* A heap that was computed. Takes (dict "context" "component" "in"). */}}
{{- define "n8n-tuned.check.heapFits" -}}
{{- $component := .component -}}
{{- $in := .in -}}
{{- $heap := include "n8n-tuned.heap" . | fromJson -}}
{{- $footprint := include "n8n-tuned.footprint" .context | fromJson -}}
{{- $name := printf "n8n %s" (include "n8n-tuned.version" .context) -}}
{{- $start := int $footprint.start -}}
{{- $runnerStart := int $footprint.runnerStart -}}
{{- $memory := printf "%s.resources.limits.memory" $component -}}
{{- $needed := add (mul (int $heap.n8n) (int $heap.processes)) (int $heap.runner) (int $heap.headroom) | int -}}
{{- $parts := list (printf "n8n heap %d MiB" (int $heap.n8n)) -}}
{{- if $in.children -}}
{{- $parts = list (printf "heap %d MiB × %d processes (n8n and executions.own.children=%d)"
  (int $heap.n8n) (int $heap.processes) (int $in.children)) -}}
{{- end -}}
{{- if $in.runs -}}{{- $parts = append $parts (printf "task runner heap %d MiB" (int $heap.runner)) -}}{{- end -}}
{{- $raise := printf "raise %s to %sMi or more" $memory (include "n8n-tuned.leastLimit" .) -}}
{{- if $in.children -}}{{- $raise = printf "%s, or lower executions.own.children" $raise -}}{{- end -}}
{{- $orComputed := "or more, or remove it so that it is computed" -}}
{{- if and (lt (int $heap.n8n) $start) $in.n8n }}
{{ include "n8n-tuned.refusal" (dict
  "code" "heap-below-start"
  "value" (printf "%s.heap.n8n=%d" $component (int $heap.n8n))
  "why" (printf "%s does not start with less than %d MiB of heap" $name $start)
  "do" (printf "Set %d %s" $start $orComputed)) }}
{{- else if lt (int $heap.n8n) $start }}
{{ include "n8n-tuned.refusal" (dict
  "code" "limit-too-small"
  "value" (printf "%s=%dMi" $memory (int $in.limit))
  "why" (printf "with a headroom of %d MiB it leaves %s, and %s does not start with less than %d MiB"
    (int $heap.headroom) (join " + " $parts) $name $start)
  "do" (regexReplaceAll "^raise" $raise "Raise")) }}
{{- else if and $in.runs (lt (int $heap.runner) $runnerStart) }}
{{- $because := printf "the task runner does not start with less than %d MiB" $runnerStart }}
{{- if $in.runner }}
{{ include "n8n-tuned.refusal" (dict
  "code" "heap-below-start"
  "value" (printf "%s.heap.runner=%d" $component (int $heap.runner))
  "why" (printf "%s of heap" $because)
  "do" (printf "Set %d %s" $runnerStart $orComputed)) }}
{{- else if not $in.n8n }}
{{ include "n8n-tuned.refusal" (dict
  "code" "runner-share-too-small"
  "value" (printf "heap.runnerShare=%d" (int $in.runnerShare))
  "why" (printf "it leaves the task runner of %s %d MiB, and %s" $component (int $heap.runner) $because)
  "do" (printf "Raise heap.runnerShare, or %s" $raise)) }}
{{- else }}
{{ include "n8n-tuned.refusal" (dict
  "code" "no-heap-for-runner"
  "value" (printf "%s.heap.n8n=%d" $component (int $heap.n8n))
  "why" (printf "with a headroom of %d MiB it leaves the task runner %d of %s=%dMi, and %s"
    (int $heap.headroom) (int $heap.runner) $memory (int $in.limit) $because)
  "do" (printf "Lower %s.heap.n8n, or %s" $component $raise)) }}
{{- end }}
{{- else if and $in.hasLimit (gt $needed (int $in.limit)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "heap-above-limit"
  "value" (printf "%s.heap" $component)
  "why" (printf "%s + headroom %d MiB = %d MiB is more than %s=%dMi, so the kernel would kill n8n before V8 collects garbage"
    (join " + " $parts) (int $heap.headroom) $needed $memory (int $in.limit))
  "do" (printf "Lower %s.heap, or %s" $component $raise)) }}
{{- end }}
{{- end -}}

{{/*
The smallest memory limit that a component's values allow, in MiB: the heaps with which everything starts, plus the larger
of both headrooms. Takes (dict "context" "component" "in").
*/}}
{{- define "n8n-tuned.leastLimit" -}}
{{- $in := .in -}}
{{- $n8n := int $in.n8n -}}
{{- $runner := int $in.runner -}}
{{- $heap := include "n8n-tuned.heap" . | fromJson -}}
{{- $footprint := include "n8n-tuned.footprint" .context | fromJson -}}
{{- $start := int $footprint.start -}}
{{- $runnerStart := int $footprint.runnerStart -}}
{{- $least := mul (int $in.processes) (max $start $n8n) | int -}}
{{- if $in.runs -}}
{{- $share := int $in.runnerShare -}}
{{- /* Rounded up: n8n's part holds its start, and the runner's part holds the runner's. */ -}}
{{- $forN8n := add 1 (div (mul (sub $start 1) 100) (sub 100 $share)) -}}
{{- $forRunner := div (add (mul $runnerStart 100) (sub $share 1)) $share -}}
{{- $least = max $forN8n $forRunner | int -}}
{{- if $n8n -}}{{- $least = max $least (add $n8n (max $runner $runnerStart)) | int -}}{{- end -}}
{{- if and $runner (not $n8n) -}}{{- $least = max $least (add $runner $start) | int -}}{{- end -}}
{{- end -}}
{{- max (add $least (int $heap.fixed)) (add 1 (div (mul (sub $least 1) 100) (sub 100 (int $in.share)))) -}}
{{- end -}}
