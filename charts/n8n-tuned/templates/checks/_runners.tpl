{{/* Refuses task runners that this n8n does not have, ports that are taken, and sidecars that are too small. */}}

{{- define "n8n-tuned.check.runners" -}}
{{- $runners := .Values.taskRunners -}}
{{- $external := eq $runners.mode "external" -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $supported := include "n8n-tuned.atLeast" (dict "context" . "version" "1.111.0") -}}
{{- $port := int $runners.brokerPort -}}
{{- if and $external (not $supported) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "external-runners-unsupported"
  "value" "taskRunners.mode=external"
  "why" (printf "n8n %s has no image for task runners; n8n 1.111 and newer have one" $version)
  "do" "Set taskRunners.mode=internal, or image.tag to 1.111.0 or newer") }}
{{- else if $external }}
{{- $tag := $runners.image.tag | default "" | trimPrefix "v" }}
{{- $isVersion := regexMatch (include "n8n-tuned.versionPattern" .) $tag }}
{{- if and $isVersion (ne (regexFind "[0-9]+\\.[0-9]+\\.[0-9]+" $tag) $version) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "runners-of-another-version"
  "value" (printf "taskRunners.image.tag=%s" $runners.image.tag)
  "why" (printf "n8n is %s, and task runners work only with n8n of the same version" $version)
  "do" "Remove taskRunners.image.tag") }}
{{- end }}
{{- if has $port (list 5678 5680 5681 5682) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "broker-port-taken"
  "value" (printf "taskRunners.brokerPort=%d" $port)
  "why" "the pod already uses this port: 5678 for n8n, 5680 to 5682 for the health checks of the runners"
  "do" "Set another port") }}
{{- end }}
{{- include "n8n-tuned.check.runnerModules" . }}
{{- range (include "n8n-tuned.components" . | fromJson).list }}
{{- $component := dict "context" $ "component" . }}
{{- if include "n8n-tuned.hasRunnerSidecar" $component }}
{{- include "n8n-tuned.check.sidecar" $component }}
{{- end }}
{{- end }}
{{- else }}
{{- if eq $port 5678 }}
{{ include "n8n-tuned.refusal" (dict
  "code" "broker-port-taken"
  "value" "taskRunners.brokerPort=5678"
  "why" "n8n itself uses this port"
  "do" "Set another port") }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
Variables that allow modules in the code of Code nodes, where nothing reads them. Read: the launcher passes on only what its
configuration names, and that of the image sets its own lists (n8n issue 28639).
*/}}
{{- define "n8n-tuned.check.runnerModules" -}}
{{- $modules := list "NODE_FUNCTION_ALLOW_BUILTIN" "NODE_FUNCTION_ALLOW_EXTERNAL" "N8N_RUNNERS_STDLIB_ALLOW" "N8N_RUNNERS_EXTERNAL_ALLOW" -}}
{{- $runners := .Values.taskRunners -}}
{{- range $variable := include "n8n-tuned.extraEnv" (dict "context" . "components" (list "main" "worker")) | fromJsonArray }}
{{- if has .name $modules }}
{{ include "n8n-tuned.refusal" (dict
  "code" "modules-on-the-wrong-side"
  "value" (printf "extraEnv %s" .name)
  "why" "with taskRunners.mode=external the code runs in the sidecar, which does not see n8n's variables"
  "do" (printf "Remove it, and set taskRunners.config with %s under env-overrides of its runner" .name)) }}
{{- end }}
{{- end }}
{{- $own := dict -}}
{{- range (include "n8n-tuned.runnerContainer" (dict "context" . "component" "main") | fromYamlArray | first).env -}}
{{- $_ := set $own .name (add 1 (get $own .name | default 0)) -}}
{{- end -}}
{{- range $variable := $runners.extraEnv }}
{{- $passed := "" }}
{{- range $runner := get ($runners.config | default dict) "task-runners" | default list }}
{{- $isAllowed := has $variable.name (get $runner "allowed-env" | default list) }}
{{- if and $isAllowed (not (hasKey (get $runner "env-overrides" | default dict) $variable.name)) }}{{ $passed = "true" }}{{ end }}
{{- end }}
{{- if and (has .name $modules) (not $passed) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "modules-on-the-wrong-side"
  "value" (printf "taskRunners.extraEnv %s" .name)
  "why" (printf "the launcher passes it to no runner: the configuration of the image sets a list of its own%s"
    (ternary ", and yours does not name it in allowed-env, or overrides it" "" (not (empty $runners.config))))
  "do" (printf "Remove it, and set taskRunners.config with %s under env-overrides of its runner" .name)) }}
{{- else if gt (int (get $own .name)) 1 }}
{{ include "n8n-tuned.refusal" (dict
  "code" "variable-twice"
  "value" (printf "taskRunners.extraEnv %s" .name)
  "why" "the sidecar already has this variable, and only the last one counts"
  "do" "Remove it") }}
{{- end }}
{{- end }}
{{- if $runners.config }}{{ include "n8n-tuned.check.runnersConfig" . }}{{ end }}
{{- end -}}

{{/*
The configuration of the launcher, which stops with one that lacks a runner, or whose runners have no ports of their own (read:
task-runner-launcher, config.go). Takes the root context.
*/}}
{{- define "n8n-tuned.check.runnersConfig" -}}
{{- $runners := .Values.taskRunners -}}
{{- $listed := get $runners.config "task-runners" | default list -}}
{{- $types := list -}}
{{- $ports := dict "5678" "n8n" (toString (int $runners.brokerPort)) "n8n's task broker" "5679" "n8n's task broker" "5680" "the launcher" -}}
{{- if hasKey $runners.config "task-runners" }}
{{- range $runner := $listed }}
{{- $type := get $runner "runner-type" }}
{{- if and (has $type $runners.types) (not (has $type $types)) }}
{{- $port := get $runner "health-check-server-port" | default (ternary "5681" "" (eq (len $runners.types) 1)) }}
{{- if or (not $port) (hasKey $ports $port) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "runners-config-ports"
  "value" (printf "taskRunners.config %s health-check-server-port" $type)
  "why" (ternary (printf "%s uses port %s of the pod" (get $ports $port) $port)
    "it is missing, and of several runners each needs a port of its own" (ne $port ""))
  "do" (printf "Set another one, for example \"%d\"" (add 5681 (len $types)))) }}
{{- end }}
{{- if $port }}{{ $_ := set $ports $port (printf "the runner of %s" $type) }}{{ end }}
{{- end }}
{{- $types = append $types $type }}
{{- end }}
{{- range $type := $runners.types }}
{{- if not (has $type $types) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "runners-config-without-type"
  "value" "taskRunners.config"
  "why" (printf "it has no runner-type %s, which taskRunners.types asks for, and the launcher stops without it" $type)
  "do" (printf "Copy that runner from /etc/n8n-task-runners.json of the image, or remove %s from taskRunners.types" $type)) }}
{{- end }}
{{- end }}
{{- else }}
{{ include "n8n-tuned.refusal" (dict
  "code" "runners-config-without-runners"
  "value" "taskRunners.config"
  "why" "it has no task-runners, the list in which the launcher finds each runner"
  "do" "Copy /etc/n8n-task-runners.json of the image, and change it") }}
{{- end }}
{{- end -}}

{{/* The sidecar of a component. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.check.sidecar" -}}
{{- $sidecar := include "n8n-tuned.sidecarHeap" . | fromJson -}}
{{- $given := int $sidecar.given -}}
{{- $heapRunner := printf "%s.heap.runner" .component -}}
{{- $start := int (include "n8n-tuned.footprint" .context | fromJson).runnerStart -}}
{{- $wanted := max $start $given | int -}}
{{- if not .context.Values.heap.enabled }}
{{- if $given }}
{{ include "n8n-tuned.refusal" (dict
  "code" "no-effect"
  "value" $heapRunner
  "why" "it has no effect, because heap.enabled=false leaves the limit to V8"
  "do" "Remove one of the two") }}
{{- end }}
{{- else if not $sidecar.javascript }}
{{- if $given }}
{{ include "n8n-tuned.refusal" (dict
  "code" "no-effect"
  "value" (printf "%s=%d" $heapRunner $given)
  "why" "it has no effect, because taskRunners.types has no javascript, and only that runner has a V8 heap"
  "do" "Remove it") }}
{{- end }}
{{- else if and (not $sidecar.hasLimit) (not $given) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "heap-without-limit"
  "value" "taskRunners.resources.limits.memory"
  "why" "it is not set, and the heap of the sidecar is computed from it"
  "do" "Set it, or set heap.enabled=false to leave the limit to V8, which may ignore the container's") }}
{{- else if and $given (lt $given $start) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "heap-below-start"
  "value" (printf "%s=%d" $heapRunner $given)
  "why" (printf "the task runner does not start with less than %d MiB of heap" $start)
  "do" (printf "Set %d or more, or remove it so that it is computed" $start)) }}
{{- else if and $sidecar.hasLimit (gt (add $wanted (int $sidecar.headroom) | int) (int $sidecar.limit)) }}
{{- $share := int .context.Values.heap.headroom.share }}
{{- $least := max (add $wanted (int $sidecar.headroom)) (add 1 (div (mul (sub $wanted 1) 100) (sub 100 $share))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "limit-too-small"
  "value" (printf "taskRunners.resources.limits.memory=%dMi" (int $sidecar.limit))
  "why" (printf "it does not fit a headroom of %d MiB and a heap of %d MiB" (int $sidecar.headroom) $wanted)
  "do" (printf "Raise it to %dMi or more" $least)) }}
{{- end }}
{{- end -}}
