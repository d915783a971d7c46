{{/* What scales a component. */}}

{{/* The HorizontalPodAutoscaler of a component, or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.horizontalPodAutoscaler" -}}
{{- if eq (include "n8n-tuned.autoscaler" .) "hpa" -}}
{{- $autoscaling := (index .context.Values .component).autoscaling -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
{{- /* KEDA (2.14 and newer) else refuses a ScaledObject in its place: Helm deletes what is replaced last. */}}
{{- $annotations := dict "validations.keda.sh/hpa-ownership" "false" }}
metadata: {{- include "n8n-tuned.metadata" (merge (dict "annotations" $annotations) .) | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "n8n-tuned.componentName" . | quote }}
  minReplicas: {{ int $autoscaling.minReplicas }}
  maxReplicas: {{ int $autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ int $autoscaling.targetCPUUtilizationPercentage }}
    {{- with $autoscaling.metrics }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  behavior: {{- include "n8n-tuned.scalingBehavior" . | nindent 4 }}
{{- end -}}
{{- end -}}

{{/*
KEDA's ScaledObject of a component. It scales by the sum of what its triggers find. Takes (dict "context" "component"
"target" "triggers"): what one pod is to have of that sum, and a list of triggers, each with `name`, `type` and `metadata`.
*/}}
{{- define "n8n-tuned.scaledObject" -}}
{{- $autoscaling := (index .context.Values .component).autoscaling -}}
{{- $names := list -}}
{{- range .triggers -}}{{- $names = append $names .name -}}{{- end -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {{- include "n8n-tuned.metadata" . | nindent 2 }}
spec:
  scaleTargetRef:
    name: {{ include "n8n-tuned.componentName" . | quote }}
  {{- range $field := list "pollingInterval" "cooldownPeriod" }}
  {{- if hasKey $autoscaling.keda $field }}
  {{ $field }}: {{ get $autoscaling.keda $field | int }}
  {{- end }}
  {{- end }}
  minReplicaCount: {{ int $autoscaling.minReplicas }}
  maxReplicaCount: {{ int $autoscaling.maxReplicas }}
  advanced:
    scalingModifiers:
      formula: {{ join " + " $names }}
      target: {{ .target | quote }}
    horizontalPodAutoscalerConfig:
      behavior: {{- include "n8n-tuned.scalingBehavior" . | nindent 8 }}
  triggers: {{- toYaml .triggers | nindent 4 }}
{{- end -}}
