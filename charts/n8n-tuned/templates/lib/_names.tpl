{{/* Prefix of the names of all objects: the release's name, with the chart's unless it is in it. */}}
{{- define "n8n-tuned.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Name of a component's objects. Takes (list root component). */}}
{{- define "n8n-tuned.componentName" -}}
{{- printf "%s-%s" (include "n8n-tuned.fullname" .context) .component -}}
{{- end -}}

{{/* Labels by which a component's pods are selected; never changes in a release. Takes (list root component). */}}
{{- define "n8n-tuned.selectorLabels" -}}
{{- $root := .context -}}
app.kubernetes.io/name: {{ default $root.Chart.Name $root.Values.nameOverride }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Labels of a component's pods: nothing that changes with the chart alone, which would restart them. Takes (list root component). */}}
{{- define "n8n-tuned.podLabels" -}}
{{ include "n8n-tuned.selectorLabels" . }}
{{- if has .component (list "main" "worker" "webhook") }}
app.kubernetes.io/version: {{ include "n8n-tuned.version" .context | quote }}
{{- end }}
app.kubernetes.io/part-of: n8n-tuned
{{- end -}}

{{/* All labels of a component's objects. Takes (list root component). */}}
{{- define "n8n-tuned.labels" -}}
{{- $root := .context -}}
{{ include "n8n-tuned.podLabels" . }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The n8n components that this release has, in the order in which they are explained, as JSON {"list": [...]}. */}}
{{- define "n8n-tuned.components" -}}
{{- $components := list "main" -}}
{{- if eq .Values.executions.mode "queue" -}}
{{- $components = append $components "worker" -}}
{{- if gt (int .Values.webhook.replicas) 0 -}}{{- $components = append $components "webhook" -}}{{- end -}}
{{- end -}}
{{- dict "list" $components | toJson -}}
{{- end -}}
