{{/* How many pods a component has. */}}

{{/* The autoscaler of a component: "hpa", "keda" or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.autoscaler" -}}
{{- if has .component (include "n8n-tuned.components" .context | fromJson).list -}}
{{- $type := dig "autoscaling" "type" "none" (index .context.Values .component) -}}
{{- if ne $type "none" -}}{{- $type -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* The smallest number of a component's pods; 0 if the release has none. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.minReplicas" -}}
{{- if include "n8n-tuned.autoscaler" . -}}
{{- (index .context.Values .component).autoscaling.minReplicas -}}
{{- else -}}
{{- include "n8n-tuned.maxReplicas" . -}}
{{- end -}}
{{- end -}}

{{/* The largest number of a component's pods; 0 if the release has none. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.maxReplicas" -}}
{{- $values := .context.Values -}}
{{- if not (has .component (include "n8n-tuned.components" .context | fromJson).list) -}}
0
{{- else if eq .component "main" -}}
{{- ternary (int $values.multiMain.replicas) 1 $values.multiMain.enabled -}}
{{- else if include "n8n-tuned.autoscaler" . -}}
{{- int (index $values .component).autoscaling.maxReplicas -}}
{{- else -}}
{{- int (index $values .component).replicas -}}
{{- end -}}
{{- end -}}

{{/*
The field `replicas` of a Deployment, or "" with an autoscaler, whose number an upgrade would undo. Takes (dict "context"
"component").
*/}}
{{- define "n8n-tuned.replicas" -}}
{{- if not (include "n8n-tuned.autoscaler" .) -}}
replicas: {{ include "n8n-tuned.maxReplicas" . }}
{{- end -}}
{{- end -}}

{{/*
How long Kubernetes waits for a rollout of n8n until it calls it failed, and the old revisions that it keeps: fields of a Deployment.
Kubernetes' own 600 s are less than a long migration, or a long shutdown of the pod before, which Helm's --wait would then not wait
for. Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.rolloutFields" -}}
{{- $startup := .context.Values.probes.startup -}}
{{- $start := mul $startup.periodSeconds $startup.failureThreshold -}}
progressDeadlineSeconds: {{ add $start (include "n8n-tuned.graceSeconds" .) 300 }}
{{- if not (kindIs "invalid" .context.Values.revisionHistoryLimit) }}
revisionHistoryLimit: {{ int .context.Values.revisionHistoryLimit }}
{{- end }}
{{- end -}}

{{/*
Behaviour of the HorizontalPodAutoscaler: that of the values, or up at once and down by one pod in each grace period, so that
the executions of one pod have ended before the next pod is stopped. Takes (dict "context" "component").
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
  # At least the 300 s of Kubernetes: the load must have been low for that long.
  stabilizationWindowSeconds: {{ min 3600 (max 300 $grace) }}
  policies:
    - type: Pods
      value: 1
      # Kubernetes accepts at most half an hour.
      periodSeconds: {{ min 1800 (max 15 $grace) }}
{{- end -}}
{{- end -}}
