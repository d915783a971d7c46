{{/* A Service in front of one component, as its `service` values say where it has any. Takes (list root component port portName). */}}
{{- define "n8n-tuned.service" -}}
{{- $root := .context -}}
{{- $component := .component -}}
{{- $values := get (index $root.Values $component) "service" | default dict -}}
{{- $affinity := get $values "sessionAffinity" | default (ternary "ClientIP" "" (and (eq $component "main") $root.Values.multiMain.enabled)) -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "n8n-tuned.componentName" (dict "context" $root "component" $component) }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{ include "n8n-tuned.labels" (dict "context" $root "component" $component) | nindent 4 }}
  {{- with $values.annotations }}
  annotations: {{ toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: {{ $values.type | default "ClusterIP" }}
  {{- with $affinity }}
  sessionAffinity: {{ . }}
  {{- end }}
  selector: {{ include "n8n-tuned.selectorLabels" (dict "context" $root "component" $component) | nindent 4 }}
  ports:
    - name: {{ .portName }}
      port: {{ .port }}
      targetPort: {{ .portName }}
      {{- with $values.nodePort }}
      nodePort: {{ int . }}
      {{- end }}
{{- end -}}

{{/* Spec of a claim. Takes its values (size, storageClass). */}}
{{- define "n8n-tuned.claimSpec" -}}
accessModes: [ReadWriteOnce]
{{- with .storageClass }}
storageClassName: {{ . }}
{{- end }}
resources:
  requests:
    storage: {{ .size }}
{{- end -}}

{{/* The HorizontalPodAutoscaler of a component, or nothing. Takes (list root component). */}}
{{- define "n8n-tuned.horizontalPodAutoscaler" -}}
{{- if eq (include "n8n-tuned.autoscaler" .) "hpa" -}}
{{- $root := .context -}}
{{- $autoscaling := (index $root.Values .component).autoscaling -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "n8n-tuned.componentName" . }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{ include "n8n-tuned.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "n8n-tuned.componentName" . }}
  minReplicas: {{ int $autoscaling.minReplicas }}
  maxReplicas: {{ int $autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ int $autoscaling.targetCPUUtilizationPercentage }}
  behavior: {{ include "n8n-tuned.scalingBehavior" . | nindent 4 }}
{{- end -}}
{{- end -}}

{{/*
The PodDisruptionBudget of a component, or nothing. Takes (list root component).
A component with one pod has none: a budget for it either forbids every node drain or allows everything.
*/}}
{{- define "n8n-tuned.podDisruptionBudget" -}}
{{- $root := .context -}}
{{- $budget := dig "podDisruptionBudget" (dict "enabled" true "maxUnavailable" 1) (index $root.Values .component) -}}
{{- if and $budget.enabled (gt (include "n8n-tuned.maxReplicas" . | int) 1) -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "n8n-tuned.componentName" . }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{ include "n8n-tuned.labels" . | nindent 4 }}
spec:
  maxUnavailable: {{ $budget.maxUnavailable }}
  {{- if semverCompare ">=1.27.0-0" $root.Capabilities.KubeVersion.Version }}
  # A pod that is not ready serves nobody, and must not hold a drain up.
  unhealthyPodEvictionPolicy: AlwaysAllow
  {{- end }}
  selector:
    matchLabels: {{ include "n8n-tuned.selectorLabels" . | nindent 6 }}
{{- end -}}
{{- end -}}
