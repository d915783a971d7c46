{{/* Objects that several components have. */}}

{{/*
The Service of a component, with the component's `service` values if it has any, else with `port`. Takes (dict "context"
"component" "portName" "port").
*/}}
{{- define "n8n-tuned.service" -}}
{{- $context := .context -}}
{{- $values := get (index $context.Values .component) "service" | default dict -}}
{{- $manyMains := and (eq .component "main") $context.Values.multiMain.enabled -}}
{{- $affinity := get $values "sessionAffinity" | default (ternary "ClientIP" "" $manyMains) -}}
apiVersion: v1
kind: Service
metadata: {{- include "n8n-tuned.metadata" (dict
  "context" $context "component" .component "annotations" $values.annotations) | nindent 2 }}
spec:
  type: {{ $values.type | default "ClusterIP" }}
  {{- with get $values "loadBalancerClass" }}
  loadBalancerClass: {{ . | quote }}
  {{- end }}
  {{- with get $values "loadBalancerSourceRanges" }}
  loadBalancerSourceRanges: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with get $values "externalTrafficPolicy" }}
  externalTrafficPolicy: {{ . }}
  {{- end }}
  {{- with $affinity }}
  sessionAffinity: {{ . }}
  {{- end }}
  selector: {{- include "n8n-tuned.selectorLabels" . | nindent 4 }}
  ports:
    - name: {{ .portName | quote }}
      port: {{ $values.port | default .port | int }}
      targetPort: {{ .portName }}
      {{- with $values.nodePort }}
      nodePort: {{ int . }}
      {{- end }}
{{- end -}}

{{/* Port of the Service of an n8n component. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.servicePort" -}}
{{- dig "service" "port" 5678 (index .context.Values .component) | int -}}
{{- end -}}

{{/* Spec of a volume claim. Takes its values (`size`, `storageClass`, `accessModes`). */}}
{{- define "n8n-tuned.claimSpec" -}}
accessModes: {{ toJson .accessModes }}
{{- with .storageClass }}
storageClassName: {{ . | quote }}
{{- end }}
resources:
  requests:
    storage: {{ .size | quote }}
{{- end -}}

{{/*
The PodDisruptionBudget of a component, or "". A component with one pod has none: it would either block every node drain or
allow everything. Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.podDisruptionBudget" -}}
{{- $budget := dig "podDisruptionBudget" (dict "enabled" true "maxUnavailable" 1) (index .context.Values .component) -}}
{{- if and $budget.enabled (gt (include "n8n-tuned.maxReplicas" . | int) 1) -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{- include "n8n-tuned.metadata" . | nindent 2 }}
spec:
  maxUnavailable: {{ $budget.maxUnavailable }}
  {{- if semverCompare ">=1.27.0-0" .context.Capabilities.KubeVersion.Version }}
  # A pod that is not ready serves no requests and must not block a drain.
  unhealthyPodEvictionPolicy: AlwaysAllow
  {{- end }}
  selector:
    matchLabels: {{- include "n8n-tuned.selectorLabels" . | nindent 6 }}
{{- end -}}
{{- end -}}
