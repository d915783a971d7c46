{{/* Refuses autoscaling of components that the release does not have, and autoscalers that could not scale. */}}

{{- define "n8n-tuned.check.scaling" -}}
{{- range $component := list "worker" "webhook" }}
{{- $values := index $.Values $component }}
{{- $type := $values.autoscaling.type }}
{{- $value := printf "%s.autoscaling.type=%s" $component $type }}
{{- if eq $type "none" }}
{{- else if ne $.Values.executions.mode "queue" }}
{{ include "n8n-tuned.refusal" (dict
  "code" "autoscaling-in-regular-mode"
  "value" $value
  "why" (printf "executions.mode=regular has no %s" (ternary "workers" "webhook processors" (eq $component "worker")))
  "do" (printf "Set executions.mode=queue, or %s.autoscaling.type=none" $component)) }}
{{- else if and (eq $component "webhook") (eq (int $values.replicas) 0) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "autoscaling-of-no-webhook-processors"
  "value" $value
  "why" "webhook.replicas=0 lets main take the webhooks"
  "do" "Set webhook.replicas to 1 or more (the autoscaler then decides), or set webhook.autoscaling.type=none") }}
{{- else }}
{{- include "n8n-tuned.check.componentScaling" (dict "context" $ "component" $component) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The autoscaler of a component that the release has. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.check.componentScaling" -}}
{{- $component := .component -}}
{{- $values := index .context.Values $component -}}
{{- $scaling := $values.autoscaling -}}
{{- $name := printf "%s.autoscaling" $component -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "min-above-max-replicas"
  "value" (printf "%s.minReplicas=%d" $name (int $scaling.minReplicas))
  "why" (printf "it is more than %s.maxReplicas=%d" $name (int $scaling.maxReplicas))
  "do" "Lower minReplicas, or raise maxReplicas") }}
{{- end }}
{{- if eq $scaling.type "hpa" }}
{{- if eq (int $scaling.minReplicas) 0 }}
{{ include "n8n-tuned.refusal" (dict
  "code" "hpa-from-zero"
  "value" (printf "%s.minReplicas=0" $name)
  "why" "hpa scales by CPU use, so it could never scale up again from zero pods"
  "do" (printf "Set 1 or more, or set %s.type=keda" $name)) }}
{{- end }}
{{- include "n8n-tuned.check.hpaMetrics" . }}
{{- $resources := dict $component ($values.resources | default dict) }}
{{- if include "n8n-tuned.hasRunnerSidecar" . }}
{{- $_ := set $resources "taskRunners" (.context.Values.taskRunners.resources | default dict) }}
{{- end }}
{{- range $index, $container := $values.extraContainers }}
{{- $_ := set $resources (printf "%s.extraContainers[%d]" $component $index) ($container.resources | default dict) }}
{{- end }}
{{- $metrics := "" -}}
{{- range $values.autoscaling.metrics -}}{{- $metrics = printf "%s %v" $metrics (dig "resource" "name" "" .) -}}{{- end -}}
{{- range $path, $of := $resources }}
{{- if and (contains " memory" $metrics) (not (or (dig "requests" "memory" "" $of) (dig "limits" "memory" "" $of))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "hpa-without-memory-request"
  "value" (printf "%s.resources.requests.memory" $path)
  "why" (printf "it is not set, and %s.metrics scales by the percentage of the memory requests" $name)
  "do" "Set it") }}
{{- end }}
{{- if not (or (dig "requests" "cpu" "" $of) (dig "limits" "cpu" "" $of)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "hpa-without-cpu-request"
  "value" (printf "%s.resources.requests.cpu" $path)
  "why" (printf "it is not set, and %s.type=hpa scales by the percentage of the CPU requests" $name)
  "do" (printf "Set it, or set another %s.type" $name)) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and (eq $scaling.type "hpa") (not $scaling.metrics) }}
{{- include "n8n-tuned.check.hpaReach" . }}
{{- end }}
{{- if and (eq $scaling.type "keda") (eq $component "webhook") }}
{{- include "n8n-tuned.check.kedaOfWebhooks" .context }}
{{- end }}
{{- end -}}

{{/*
Whether containers can use so much CPU that the HorizontalPodAutoscaler adds a pod: it compares with the requests, and ignores a
tenth above its target. Only where all have a limit. Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.check.hpaReach" -}}
{{- $values := index .context.Values .component -}}
{{- $all := list ($values.resources | default dict) -}}
{{- if include "n8n-tuned.hasRunnerSidecar" . -}}{{- $all = append $all (.context.Values.taskRunners.resources | default dict) -}}{{- end -}}
{{- range $values.extraContainers -}}{{- $all = append $all (.resources | default dict) -}}{{- end -}}
{{- $limits := 0 -}}
{{- $requests := 0 -}}
{{- $isLimited := true -}}
{{- range $all -}}
{{- $limit := dig "limits" "cpu" "" . -}}
{{- if not $limit -}}{{- $isLimited = false -}}{{- end -}}
{{- $limits = add $limits (include "n8n-tuned.millicores" ($limit | default 0) | int) -}}
{{- $requests = add $requests (include "n8n-tuned.millicores" (dig "requests" "cpu" $limit .) | int) -}}
{{- end -}}
{{- $target := int $values.autoscaling.targetCPUUtilizationPercentage -}}
{{- if and $isLimited (gt $requests 0) (le (mul 1000 $limits) (mul 11 $target $requests)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "hpa-never-scales"
  "value" (printf "%s.autoscaling.targetCPUUtilizationPercentage=%d" .component $target)
  "why" (printf "its containers request %dm of CPU and may use %dm, so that no pod is ever added: that takes a tenth more than the target" $requests $limits)
  "do" (printf "Lower it to %d, or lower %s.resources.requests.cpu" (div (mul 1000 $limits) (mul 11 $requests) | max 2 | add -1) .component)) }}
{{- end }}
{{- end -}}

{{/* The further metrics of a HorizontalPodAutoscaler. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.check.hpaMetrics" -}}
{{- $name := printf "%s.autoscaling" .component -}}
{{- $types := dict
  "Resource" "resource" "ContainerResource" "containerResource" "Pods" "pods" "Object" "object" "External" "external" -}}
{{- range $index, $metric := (index .context.Values .component).autoscaling.metrics }}
{{- $value := printf "%s.metrics[%d]" $name $index }}
{{- $field := get $types $metric.type | default "resource" }}
{{- if not (and (hasKey $types $metric.type) (kindIs "map" (get $metric $field))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "hpa-metric-incomplete"
  "value" (printf "%s.type=%s" $value $metric.type)
  "why" (printf "a metric has one of the types %s, and the field of its type" (keys $types | sortAlpha | join ", "))
  "do" (printf "Write {type: %s, %s: {...}} as in spec.metrics of a HorizontalPodAutoscaler"
    (ternary $metric.type "Resource" (hasKey $types $metric.type)) $field)) }}
{{- else if and (eq $metric.type "Resource") (eq (get $metric.resource "name") "cpu") }}
{{ include "n8n-tuned.refusal" (dict
  "code" "hpa-cpu-twice"
  "value" $value
  "why" (printf "%s.targetCPUUtilizationPercentage already scales by CPU" $name)
  "do" "Remove it, and set that") }}
{{- else if not (hasKey (get $metric $field) "target") }}
{{ include "n8n-tuned.refusal" (dict
  "code" "hpa-metric-without-target"
  "value" (printf "%s.%s" $value $field)
  "why" "it has no target, and Kubernetes rejects that"
  "do" "Add it, for example target: {type: Utilization, averageUtilization: 80}") }}
{{- end }}
{{- end }}
{{- end -}}

{{/* KEDA reads the requests of webhook processors from their metrics. Takes the root context. */}}
{{- define "n8n-tuned.check.kedaOfWebhooks" -}}
{{- $value := "webhook.autoscaling.type=keda" -}}
{{- if not .Values.metrics.enabled }}
{{ include "n8n-tuned.refusal" (dict
  "code" "keda-without-metrics"
  "value" $value
  "why" "metrics.enabled=false, so webhook processors do not say how many requests they have"
  "do" "Set metrics.enabled=true, or webhook.autoscaling.type=hpa") }}
{{- else if not (include "n8n-tuned.atLeast" (dict "context" . "version" "2.27.0")) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "webhook-metrics-unsupported"
  "value" $value
  "why" (printf "webhook processors of n8n %s serve no metrics" (include "n8n-tuned.version" .))
  "do" "Set webhook.autoscaling.type=hpa, or set image.tag to 2.27.0 or newer") }}
{{- end }}
{{- if not (include "n8n-tuned.admits" (dict "context" . "component" "webhook")) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "keda-without-overload"
  "value" $value
  "why" "overload.enabled=false (as n8n-capacity burst --cron sets it), so nothing counts the requests"
  "do" "Set webhook.autoscaling.type=hpa, or set overload.enabled=true") }}
{{- end }}
{{- end -}}
