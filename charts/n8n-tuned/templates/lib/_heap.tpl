{{/* Computes the heaps of n8n's processes; values.yaml explains the formula at `heap`. Everything is in MiB. */}}

{{/*
Memory that the processes of this n8n version need, as JSON: `start` and `runnerStart` are the smallest heaps with which
n8n and its task runner start; `n8n`, `runner` and `child` are memory outside the heap.
Run: 2.41.1 aborts while starting with a heap of 256 and starts with 320; its runner starts with 64; 0.221.2 aborts with
64 and starts with 96. Versions between were not run: each gets the figures of the version on its side of 1.27.
*/}}
{{- define "n8n-tuned.footprint" -}}
{{- $given := .Values.heap.headroom -}}
{{- $known := dict "start" 96 "runnerStart" 64 "n8n" 160 "runner" 96 "child" 48 -}}
{{- if include "n8n-tuned.atLeast" (dict "context" . "version" "1.27.0") -}}
{{- $known = dict "start" 320 "runnerStart" 64 "n8n" 384 "runner" 96 "child" 48 -}}
{{- end -}}
{{- /*
The figures hold V8's own young generation: three semi-spaces of 64 MiB with the Node 24 of 2.41 (run), of 16 MiB with the
Node 18 to 22 of older ones (run: 1192 and 1048 MiB of heap_size_limit with 64 and 16, in a heap of 1000).
*/ -}}
{{- $young := ternary 64 16 (eq (include "n8n-tuned.atLeast" (dict "context" . "version" "2.41.0")) "true") -}}
{{- $more := mul 3 (max 0 (sub (.Values.heap.semiSpace | default 0 | int) $young)) | int -}}
{{- $_ := set $known "n8n" (add $known.n8n $more | int) -}}
{{- range $process := list "n8n" "runner" "child" -}}
{{- if not (kindIs "invalid" (index $given $process)) -}}
{{- $_ := set $known $process (int (index $given $process)) -}}
{{- end -}}
{{- end -}}
{{- $known | toJson -}}
{{- end -}}

{{/*
The values from which a component's heaps are computed, as JSON: `limit` and `hasLimit`, `share` (percentage of the limit
that stays headroom), `n8n` and `runner` (heaps that the values set; 0: computed), `complete` (the values set every heap),
`runs` (a task runner runs in the container), `children` (own-mode children), `processes` (1 + children), `runnerShare`
(percentage of the heap). Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.heapInput" -}}
{{- $context := .context -}}
{{- $values := index $context.Values .component -}}
{{- $runs := eq (include "n8n-tuned.runsTaskRunner" .) "true" -}}
{{- $children := 0 -}}
{{- if include "n8n-tuned.forksExecutions" $context -}}{{- $children = int $context.Values.executions.own.children -}}{{- end -}}
{{- $limit := include "n8n-tuned.mebibytes" (dig "limits" "memory" "" ($values.resources | default dict)) -}}
{{- $n8n := $values.heap.n8n | default 0 | int -}}
{{- $runner := get $values.heap "runner" | default 0 | int -}}
{{- /* With a sidecar, heap.runner is the heap of that container: n8n-tuned.sidecarHeap. */ -}}
{{- if include "n8n-tuned.hasRunnerSidecar" . -}}{{- $runner = 0 -}}{{- end -}}
{{- dict
  "limit" ($limit | default 0 | int) "hasLimit" (ne $limit "")
  "share" (int $context.Values.heap.headroom.share)
  "n8n" $n8n "runner" $runner "runs" $runs "children" $children "processes" (add 1 $children | int)
  "complete" (and (gt $n8n 0) (or (gt $runner 0) (not $runs)))
  "runnerShare" (int $context.Values.heap.runnerShare) | toJson -}}
{{- end -}}

{{/*
A component's memory, as JSON: `limit` (0: none), `headroom`, `fixed` (the headroom that does not grow with the limit),
`processes` (that share the n8n flag: 1 + own-mode children), `n8n` and `runner` (heaps; 0: no flag). Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.heap" -}}
{{- $context := .context -}}
{{- $in := include "n8n-tuned.heapInput" . | fromJson -}}
{{- $footprint := include "n8n-tuned.footprint" $context | fromJson -}}
{{- $limit := int $in.limit -}}
{{- /*
Isolates count only where a heap is computed: a heap that is given was measured with whatever was beside it. The first
isolate is part of n8n's measured footprint.
*/ -}}
{{- $isolates := 0 -}}
{{- if and (not $in.complete) (kindIs "invalid" $context.Values.heap.headroom.n8n) -}}
{{- $isolates = mul 12 (max 0 (sub (include "n8n-tuned.expressionPool" . | default 1 | int) 1)) | int -}}
{{- end -}}
{{- $ofRunner := ternary (int $footprint.runner) 0 $in.runs -}}
{{- $fixed := add (int $footprint.n8n) $isolates $ofRunner (mul (int $in.children) (int $footprint.child)) | int -}}
{{- $headroom := max $fixed (div (mul $limit (int $in.share)) 100) | int -}}
{{- $computed := and $context.Values.heap.enabled (or $limit $in.complete) (or $in.runs (not $in.runner)) (or $limit (not $in.hasLimit)) -}}
{{- $n8n := 0 -}}
{{- $runner := 0 -}}
{{- if $computed -}}
  {{- $n8n = int $in.n8n -}}
  {{- $room := max 0 (sub $limit $headroom) | int -}}
  {{- if not $in.runs -}}
    {{- $n8n = $n8n | default (div $room (int $in.processes) | int) -}}
  {{- else -}}
    {{- $runner = int $in.runner -}}
    {{- $share := div (mul $room (int $in.runnerShare)) 100 | int -}}
    {{- if not $in.runner -}}
      {{- $runner = ternary (min $share (max 0 (sub $room $n8n))) $share (gt $n8n 0) | int -}}
    {{- end -}}
    {{- if not $in.n8n -}}
      {{- $n8n = sub $room $share | int -}}
      {{- if $in.runner -}}{{- $n8n = min $n8n (max 0 (sub $room $runner)) | int -}}{{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- dict "limit" $limit "headroom" $headroom "processes" (int $in.processes) "n8n" $n8n "runner" $runner
  "fixed" $fixed | toJson -}}
{{- end -}}
