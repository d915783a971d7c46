{{/* How many pods a component has, what changes that number, and what may take pods away. */}}

{{/* What scales a component beside its Deployment: "hpa", "keda" or "". Takes (list root component). */}}
{{- define "n8n-tuned.autoscaler" -}}
{{- $root := index . 0 -}}
{{- if has (index . 1) (include "n8n-tuned.components" $root | fromJson).list -}}
{{- $type := dig "autoscaling" "type" "none" (index $root.Values (index . 1)) -}}
{{- if ne $type "none" -}}{{- $type -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Pods that a component has at least, and at most; 0 where the release has none of it. Take (list root component). */}}
{{- define "n8n-tuned.minReplicas" -}}
{{- if include "n8n-tuned.autoscaler" . -}}
{{- (index (index . 0).Values (index . 1)).autoscaling.minReplicas -}}
{{- else -}}
{{- include "n8n-tuned.maxReplicas" . -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.maxReplicas" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
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

{{/* How many pods there are, in words: "2", or "1 to 6 (hpa)". Takes (list root component). */}}
{{- define "n8n-tuned.replicasText" -}}
{{- $most := include "n8n-tuned.maxReplicas" . -}}
{{- with include "n8n-tuned.autoscaler" . -}}
{{- printf "%s to %s (%s)" (include "n8n-tuned.minReplicas" $) $most . -}}
{{- else -}}
{{- $most -}}
{{- end -}}
{{- end -}}

{{/*
Behaviour of the HorizontalPodAutoscaler: the values', else up at once, and down by one pod in each grace period, so that
the executions of one pod have ended before the next is asked to. Takes (list root component).
*/}}
{{- define "n8n-tuned.scalingBehavior" -}}
{{- $given := (index (index . 0).Values (index . 1)).autoscaling.behavior -}}
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

{{/* The HorizontalPodAutoscaler of a component, or nothing. Takes (list root component). */}}
{{- define "n8n-tuned.horizontalPodAutoscaler" -}}
{{- if eq (include "n8n-tuned.autoscaler" .) "hpa" -}}
{{- $root := index . 0 -}}
{{- $autoscaling := (index $root.Values (index . 1)).autoscaling -}}
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
{{- $root := index . 0 -}}
{{- $budget := dig "podDisruptionBudget" (dict "enabled" true "maxUnavailable" 1) (index $root.Values (index . 1)) -}}
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

{{/* KEDA's view of the queue: type of trigger and metadata that all triggers share, as JSON. KEDA runs in another namespace. Takes the root. */}}
{{- define "n8n-tuned.kedaRedis" -}}
{{- $external := .Values.externalRedis -}}
{{- $metadata := dict -}}
{{- $type := "redis" -}}
{{- if include "n8n-tuned.embedsRedis" . -}}
{{- $_ := set $metadata "address" (printf "%s.%s.svc:6379" (include "n8n-tuned.componentName" (list . "redis")) .Release.Namespace) -}}
{{- else -}}
{{- with include "n8n-tuned.redisCluster" . -}}
{{- $type = "redis-cluster" -}}
{{- $_ := set $metadata "addresses" . -}}
{{- else -}}
{{- $host := ternary $external.host (printf "%s.%s.svc" $external.host .Release.Namespace) (or (contains "." $external.host) (contains ":" $external.host)) -}}
{{- $_ := set $metadata "address" (printf "%s:%d" (ternary (printf "[%s]" $host) $host (contains ":" $host)) (int $external.port)) -}}
{{- $_ := set $metadata "databaseIndex" (toString (int $external.database)) -}}
{{- end -}}
{{- with $external.user -}}{{- $_ := set $metadata "username" . -}}{{- end -}}
{{- if $external.tls.enabled -}}{{- $_ := set $metadata "enableTLS" "true" -}}{{- end -}}
{{- if and $external.tls.enabled (not $external.tls.rejectUnauthorized) -}}{{- $_ := set $metadata "unsafeSsl" "true" -}}{{- end -}}
{{- end -}}
{{- dict "type" $type "metadata" $metadata | toJson -}}
{{- end -}}

{{/* What KEDA takes from Secrets, as a JSON list {"list": [{parameter, name, key}]}. Takes the root. */}}
{{- define "n8n-tuned.kedaSecrets" -}}
{{- $secrets := list -}}
{{- if or (include "n8n-tuned.embedsRedis" .) .Values.externalRedis.existingSecret -}}
{{- $secrets = append $secrets (merge (dict "parameter" "password") (include "n8n-tuned.redisPasswordRef" . | fromYaml)) -}}
{{- end -}}
{{- if and .Values.caCertificates.existingSecret .Values.externalRedis.tls.enabled -}}
{{- $secrets = append $secrets (dict "parameter" "ca" "name" .Values.caCertificates.existingSecret "key" .Values.caCertificates.existingSecretKey) -}}
{{- end -}}
{{- dict "list" $secrets | toJson -}}
{{- end -}}

{{/* Executions for each worker that there should be. Takes the root. */}}
{{- define "n8n-tuned.kedaListLength" -}}
{{- .Values.worker.autoscaling.keda.listLength | default .Values.worker.concurrency | int -}}
{{- end -}}
