{{/* What scales a component beside its Deployment: "hpa", "keda" or "". Takes (list root component). */}}
{{- define "n8n-tuned.autoscaler" -}}
{{- $root := .context -}}
{{- if has .component (include "n8n-tuned.components" $root | fromJson).list -}}
{{- $type := dig "autoscaling" "type" "none" (index $root.Values .component) -}}
{{- if ne $type "none" -}}{{- $type -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Pods that a component has at least, and at most; 0 where the release has none of it. Take (list root component). */}}
{{- define "n8n-tuned.minReplicas" -}}
{{- if include "n8n-tuned.autoscaler" . -}}
{{- (index .context.Values .component).autoscaling.minReplicas -}}
{{- else -}}
{{- include "n8n-tuned.maxReplicas" . -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.maxReplicas" -}}
{{- $root := .context -}}
{{- $component := .component -}}
{{- if not (has $component (include "n8n-tuned.components" $root | fromJson).list) -}}
0
{{- else if eq $component "main" -}}
{{- ternary (int $root.Values.multiMain.replicas) 1 $root.Values.multiMain.enabled -}}
{{- else if include "n8n-tuned.autoscaler" . -}}
{{- int (index $root.Values $component).autoscaling.maxReplicas -}}
{{- else -}}
{{- int (index $root.Values $component).replicas -}}
{{- end -}}
{{- end -}}

{{/* Field of a Deployment's spec; left out where something else scales it, which an upgrade would undo. Takes (list root component). */}}
{{- define "n8n-tuned.replicas" -}}
{{- if not (include "n8n-tuned.autoscaler" .) -}}
replicas: {{ include "n8n-tuned.maxReplicas" . }}
{{- end -}}
{{- end -}}

{{/*
Behaviour of the HorizontalPodAutoscaler: the values', else up at once, and down by one pod in each grace period, so that
the executions of one pod have ended before the next is asked to. Takes (list root component).
*/}}
{{- define "n8n-tuned.scalingBehavior" -}}
{{- $given := (index .context.Values .component).autoscaling.behavior -}}
{{- if $given -}}
{{- toYaml $given -}}
{{- else -}}
{{- $grace := include "n8n-tuned.graceSeconds" . | int -}}
scaleUp:
  stabilizationWindowSeconds: 0
scaleDown:
  # At least Kubernetes' own 300 s: the load must have been low all that time.
  stabilizationWindowSeconds: {{ min 3600 (max 300 $grace) }}
  policies:
    - type: Pods
      value: 1
      # Kubernetes takes half an hour at most.
      periodSeconds: {{ min 1800 (max 15 $grace) }}
{{- end -}}
{{- end -}}
