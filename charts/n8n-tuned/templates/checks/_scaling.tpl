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
{{- with .Values.worker.autoscaling }}
{{- if and (ne .type "keda") .keda.listLength }}
{{ include "n8n-tuned.refusal" (dict
  "code" "no-effect"
  "value" (printf "worker.autoscaling.keda.listLength=%d" (int .keda.listLength))
  "why" (printf "it has no effect, because worker.autoscaling.type=%s" .type)
  "do" "Remove it, or set worker.autoscaling.type=keda") }}
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
  "why" "hpa scales by CPU use, so it would never start a pod again once there is none"
  "do" (printf "Set 1 or more, or set %s.type=keda" $name)) }}
{{- end }}
{{- $resources := dict $component ($values.resources | default dict) }}
{{- if include "n8n-tuned.hasRunnerSidecar" . }}
{{- $_ := set $resources "taskRunners" (.context.Values.taskRunners.resources | default dict) }}
{{- end }}
{{- range $index, $container := $values.extraContainers }}
{{- $_ := set $resources (printf "%s.extraContainers[%d]" $component $index) ($container.resources | default dict) }}
{{- end }}
{{- range $path, $of := $resources }}
{{- if not (or (dig "requests" "cpu" "" $of) (dig "limits" "cpu" "" $of)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "hpa-without-cpu-request"
  "value" (printf "%s.resources.requests.cpu" $path)
  "why" (printf "it is not set, and %s.type=hpa scales by the percentage of the CPU requests" $name)
  "do" (printf "Set it, or set another %s.type" $name)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
