{{/* The one place of heap arithmetic; the formula is explained at `heap` in values.yaml. Everything is in MiB. */}}

{{/*
MiB of a Kubernetes quantity of memory, rounded down; "" where there is none.
Knows what the API server knows: plain bytes, exponents, m, k M G T P E, Ki Mi Gi Ti Pi Ei.
*/}}
{{- define "n8n-tuned.mebibytes" -}}
{{- $quantity := toString . -}}
{{- $number := regexFind "^[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?" $quantity -}}
{{- if $number -}}
{{- $units := dict
  "" 1.0 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18
  "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 -}}
{{- $unit := trimPrefix $number $quantity -}}
{{- if hasKey $units $unit -}}
{{- divf (mulf (float64 $number) (index $units $unit)) 1048576.0 | floor | int64 -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Millicores of a quantity of CPU; "" where there is none. */}}
{{- define "n8n-tuned.millicores" -}}
{{- $quantity := toString . -}}
{{- if hasSuffix "m" $quantity -}}
{{- trimSuffix "m" $quantity | float64 | ceil | int64 -}}
{{- else if $quantity -}}
{{- mulf (float64 $quantity) 1000.0 | ceil | int64 -}}
{{- end -}}
{{- end -}}

{{/*
What one n8n process of this version needs, as JSON: `start` and `runnerStart`, the least heap with which n8n and its
runner start; `n8n`, `runner` and `child`, their memory outside the heap.
Run: 2.41.1 aborts while starting at 256 and starts at 320; its runner starts at 64; 0.221.2 aborts at 64 and starts at
96. The versions between were not run: each is taken for the one of the two on its side of 1.27.
*/}}
{{- define "n8n-tuned.footprint" -}}
{{- $given := .Values.heap.headroom -}}
{{- $known := dict "start" 96 "runnerStart" 64 "n8n" 160 "runner" 96 "child" 48 -}}
{{- if include "n8n-tuned.atLeast" (list . "1.27.0") -}}
{{- $known = dict "start" 320 "runnerStart" 64 "n8n" 384 "runner" 96 "child" 48 -}}
{{- end -}}
{{- range $process := list "n8n" "runner" "child" -}}
{{- if not (kindIs "invalid" (index $given $process)) -}}
{{- $_ := set $known $process (int (index $given $process)) -}}
{{- end -}}
{{- end -}}
{{- $known | toJson -}}
{{- end -}}

{{/*
A component's memory, as JSON: `limit` (0: none), `headroom`, `processes` (that share `n8n`'s flag: 1, or 1 + children),
`n8n` and `runner` (0: no flag), `problems` (what is wrong, as sentences). Takes (list root component).
*/}}
{{- define "n8n-tuned.heap" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index $root.Values $component -}}
{{- $footprint := include "n8n-tuned.footprint" $root | fromJson -}}
{{- $n8nName := printf "n8n %s" (include "n8n-tuned.version" $root) -}}
{{- $runs := include "n8n-tuned.runsTaskRunner" . -}}
{{- $children := 0 -}}
{{- if include "n8n-tuned.forksExecutions" $root -}}{{- $children = int $root.Values.executions.own.children -}}{{- end -}}
{{- $processes := add 1 $children | int -}}
{{- $limit := include "n8n-tuned.mebibytes" (dig "limits" "memory" "" ($values.resources | default dict)) -}}
{{- $share := int $root.Values.heap.headroom.share -}}
{{- $givenN8n := $values.heap.n8n | default 0 | int -}}
{{- $givenRunner := get $values.heap "runner" | default 0 | int -}}
{{- /* Of a sidecar it is that container's heap: n8n-tuned.sidecarHeap. */ -}}
{{- if include "n8n-tuned.hasRunnerSidecar" . -}}{{- $givenRunner = 0 -}}{{- end -}}
{{- $given := and $givenN8n (or $givenRunner (not $runs)) -}}
{{- /*
For what is computed alone: a heap that is given was measured, with whatever was beside it. The first isolate is in what
was measured as n8n's own.
*/ -}}
{{- $isolates := 0 -}}
{{- if and (not $given) (kindIs "invalid" $root.Values.heap.headroom.n8n) -}}{{- $isolates = mul 12 (max 0 (sub (include "n8n-tuned.expressionPool" . | default 1 | int) 1)) | int -}}{{- end -}}
{{- $fixed := add (int $footprint.n8n) $isolates (ternary (int $footprint.runner) 0 (eq $runs "true")) (mul $children (int $footprint.child)) | int -}}
{{- $headroom := $fixed -}}
{{- if $limit -}}{{- $headroom = max $fixed (div (mul (int $limit) $share) 100) | int -}}{{- end -}}

{{- $n8n := 0 -}}
{{- $runner := 0 -}}
{{- $problems := list -}}
{{- if not $root.Values.heap.enabled -}}
  {{- if or $givenN8n $givenRunner -}}
    {{- $problems = append $problems (printf "%s.heap is given, but heap.enabled=false leaves V8's own limit. Remove one of the two." $component) -}}
  {{- end -}}
{{- else if and $limit (lt (int $limit) 1) -}}
  {{- /* Said by check.resources. */ -}}
{{- else if and $givenRunner (not $runs) -}}
  {{- $problems = append $problems (printf "%s.heap.runner=%d, but %s runs no task runner there (%s). Remove it." $component $givenRunner $n8nName (ternary "workers run the manual executions too" "they came with 2.0" (eq (include "n8n-tuned.offloadsManual" $root) "true"))) -}}
{{- else if and (not $limit) (not $given) -}}
  {{- $problems = append $problems (printf "%s.resources.limits.memory is not set, so there is nothing to compute the heap from. Set it, or give the heap in MiB in %s.heap, or set heap.enabled=false to leave V8's own limit (which does not see the container's)." $component $component) -}}
{{- else -}}
  {{- $room := 0 -}}
  {{- if $limit -}}{{- $room = max 0 (sub (int $limit) $headroom) | int -}}{{- end -}}
  {{- if $runs -}}
    {{- $runnerShare := int $root.Values.heap.runnerShare -}}
    {{- $runner = $givenRunner -}}
    {{- $n8n = $givenN8n -}}
    {{- if not $givenRunner -}}
      {{- $runner = div (mul $room $runnerShare) 100 | int -}}
      {{- if $givenN8n -}}{{- $runner = min $runner (max 0 (sub $room $n8n)) | int -}}{{- end -}}
    {{- end -}}
    {{- if not $givenN8n -}}
      {{- $n8n = sub $room (div (mul $room $runnerShare) 100) | int -}}
      {{- if $givenRunner -}}{{- $n8n = min $n8n (max 0 (sub $room $runner)) | int -}}{{- end -}}
    {{- end -}}
  {{- else -}}
    {{- $n8n = $givenN8n | default (div $room $processes | int) -}}
  {{- end -}}

  {{- $what := printf "heap of n8n %d MiB" $n8n -}}
  {{- if $children -}}{{- $what = printf "heap of %d MiB for each of %d processes (n8n and executions.own.children=%d)" $n8n $processes $children -}}{{- end -}}
  {{- if $runs -}}{{- $what = printf "%s + heap of its task runner %d MiB" $what $runner -}}{{- end -}}
  {{- $needed := add (mul $n8n $processes) $runner $headroom | int -}}

  {{- /* The least limit that would do: the heap with which everything starts, on top of whichever headroom is larger. */ -}}
  {{- $least := mul $processes (max (int $footprint.start) $givenN8n) | int -}}
  {{- if $runs -}}
    {{- $runnerShare := int $root.Values.heap.runnerShare -}}
    {{- $rest := sub 100 $runnerShare | int -}}
    {{- $least = max (add 1 (div (mul (sub (int $footprint.start) 1) 100) $rest)) (div (add (mul (int $footprint.runnerStart) 100) (sub $runnerShare 1)) $runnerShare) | int -}}
    {{- if $givenN8n -}}{{- $least = max $least (add $givenN8n (max $givenRunner (int $footprint.runnerStart))) | int -}}{{- end -}}
    {{- if and $givenRunner (not $givenN8n) -}}{{- $least = max $least (add $givenRunner (int $footprint.start)) | int -}}{{- end -}}
  {{- end -}}
  {{- $kept := sub 100 $share | int -}}
  {{- $leastLimit := max (add $least $fixed) (add 1 (div (mul (sub $least 1) 100) $kept)) | int -}}

  {{- $memory := printf "%s.resources.limits.memory" $component -}}
  {{- $ask := printf "raise %s to %dMi or more" $memory $leastLimit -}}
  {{- if $children -}}{{- $ask = printf "%s, or lower executions.own.children" $ask -}}{{- end -}}
  {{- if lt $n8n (int $footprint.start) -}}
    {{- if $givenN8n -}}
      {{- $problems = append $problems (printf "%s.heap.n8n=%d: %s does not start with less than %d MiB of heap. Set %d or more, or remove it to have it computed." $component $n8n $n8nName (int $footprint.start) (int $footprint.start)) -}}
    {{- else -}}
      {{- $problems = append $problems (printf "%s of %s MiB less a headroom of %d MiB leaves a %s, and %s does not start with less than %d MiB; %s." $memory $limit $headroom $what $n8nName (int $footprint.start) $ask) -}}
    {{- end -}}
  {{- else if and $runs (lt $runner (int $footprint.runnerStart)) -}}
    {{- if $givenRunner -}}
      {{- $problems = append $problems (printf "%s.heap.runner=%d: the task runner does not start with less than %d MiB of heap. Set %d or more, or remove it to have it computed." $component $runner (int $footprint.runnerStart) (int $footprint.runnerStart)) -}}
    {{- else if not $givenN8n -}}
      {{- $problems = append $problems (printf "heap.runnerShare=%d leaves the task runner of %s %d MiB, and it does not start with less than %d MiB. Raise heap.runnerShare, or %s." (int $root.Values.heap.runnerShare) $component $runner (int $footprint.runnerStart) $ask) -}}
    {{- else -}}
      {{- $problems = append $problems (printf "%s.heap.n8n=%d and a headroom of %d MiB leave the task runner %d of %s=%s MiB, and it does not start with less than %d MiB. Lower %s.heap.n8n, or %s." $component $n8n $headroom $runner $memory $limit (int $footprint.runnerStart) $component $ask) -}}
    {{- end -}}
  {{- else if and $limit (gt $needed (int $limit)) -}}
    {{- $problems = append $problems (printf "%s: %s + headroom %d MiB = %d MiB does not fit %s of %s MiB, so the kernel would kill n8n before V8 collects. Lower %s.heap, or %s." $component $what $headroom $needed $memory $limit $component $ask) -}}
  {{- end -}}
{{- end -}}
{{- dict "limit" ($limit | default 0 | int) "headroom" $headroom "processes" $processes "n8n" $n8n "runner" $runner "problems" $problems | toJson -}}
{{- end -}}
