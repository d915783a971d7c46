{{/* Names, labels and the few facts about the release that every template asks for. */}}

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
{{- printf "%s-%s" (include "n8n-tuned.fullname" (index . 0)) (index . 1) -}}
{{- end -}}

{{/* Labels by which a component's pods are selected; never changes in a release. Takes (list root component). */}}
{{- define "n8n-tuned.selectorLabels" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ default $root.Chart.Name $root.Values.nameOverride }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* Labels of a component's pods: nothing that changes with the chart alone, which would restart them. Takes (list root component). */}}
{{- define "n8n-tuned.podLabels" -}}
{{ include "n8n-tuned.selectorLabels" . }}
{{- if has (index . 1) (list "main" "worker" "webhook") }}
app.kubernetes.io/version: {{ include "n8n-tuned.version" (index . 0) | quote }}
{{- end }}
app.kubernetes.io/part-of: n8n-tuned
{{- end -}}

{{/* All labels of a component's objects. Takes (list root component). */}}
{{- define "n8n-tuned.labels" -}}
{{- $root := index . 0 -}}
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

{{/* Whether the embedded PostgreSQL is deployed: "true" or "". */}}
{{- define "n8n-tuned.embedsPostgresql" -}}
{{- if kindIs "bool" .Values.postgresql.enabled -}}
{{- if .Values.postgresql.enabled -}}true{{- end -}}
{{- else if and (eq .Values.database.type "postgresql") (not .Values.externalPostgresql.host) -}}true{{- end -}}
{{- end -}}

{{/* Whether the embedded Redis is deployed: "true" or "". */}}
{{- define "n8n-tuned.embedsRedis" -}}
{{- if kindIs "bool" .Values.redis.enabled -}}
{{- if .Values.redis.enabled -}}true{{- end -}}
{{- else if and (eq .Values.executions.mode "queue") (not .Values.externalRedis.host) (not .Values.externalRedis.cluster.nodes) -}}true{{- end -}}
{{- end -}}
