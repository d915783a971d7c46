{{/* Names and labels of objects, and the components of a release. */}}

{{/*
Prefix of all object names: the release name, followed by the chart name unless the release name contains it. At most 40
characters; a longer one ends in a digest, so that two releases never share a name.
*/}}
{{- define "n8n-tuned.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $suffix := ternary "" (printf "-%s" $name) (contains $name .Release.Name) -}}
{{- $full := .Values.fullnameOverride | default (printf "%s%s" .Release.Name $suffix) -}}
{{- if gt (len $full) 40 -}}
{{- $full = printf "%s-%s" ($full | trunc 31 | trimSuffix "-") ($full | sha256sum | trunc 8) -}}
{{- end -}}
{{- trimSuffix "-" $full -}}
{{- end -}}

{{/* Name of a component's objects. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.componentName" -}}
{{- printf "%s-%s" (include "n8n-tuned.fullname" .context) .component -}}
{{- end -}}

{{/* Labels that select a component's pods; they never change within a release. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.selectorLabels" -}}
app.kubernetes.io/name: {{ default .context.Chart.Name .context.Values.nameOverride | quote }}
app.kubernetes.io/instance: {{ .context.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/*
The chart's own labels of a component's pods. Nothing in them changes with the chart version, since a change restarts the pods.
Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.ownLabels" -}}
{{ include "n8n-tuned.selectorLabels" . }}
{{- if has .component (list "main" "worker" "webhook") }}
app.kubernetes.io/version: {{ include "n8n-tuned.version" .context | quote }}
{{- end }}
app.kubernetes.io/part-of: n8n-tuned
{{- end -}}

{{/*
Labels of a component's pods: the chart's own, then "labels" if there are any (a map), then those of every object. Takes (dict
"context" "component" "labels").
*/}}
{{- define "n8n-tuned.podLabels" -}}
{{- $own := include "n8n-tuned.ownLabels" . | fromYaml -}}
{{- merge $own (.labels | default dict) (.context.Values.commonLabels | default dict) | toYaml -}}
{{- end -}}

{{/* The chart's own labels of a component's objects. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.ownObjectLabels" -}}
{{ include "n8n-tuned.ownLabels" . }}
app.kubernetes.io/managed-by: {{ .context.Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .context.Chart.Name .context.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/*
Metadata of an object. Takes (dict "context" "component"), and where they differ "name", "namespace", "labels" and
"annotations": the last two are maps, which win over those of every object.
*/}}
{{- define "n8n-tuned.metadata" -}}
{{- $own := include "n8n-tuned.ownObjectLabels" . | fromYaml -}}
name: {{ .name | default (include "n8n-tuned.componentName" .) | quote }}
namespace: {{ .namespace | default .context.Release.Namespace | quote }}
labels: {{- merge $own (.labels | default dict) (.context.Values.commonLabels | default dict) | toYaml | nindent 2 }}
{{- with merge dict (.annotations | default dict) (.context.Values.commonAnnotations | default dict) }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
Annotations that keep an object which leaves the release, as YAML. Argo CD does not heed Helm's when it prunes. Takes (dict "context"
"annotations"), those that the object has anyway.
*/}}
{{- define "n8n-tuned.keepAnnotations" -}}
{{- $own := merge dict (.annotations | default dict) (.context.Values.commonAnnotations | default dict) -}}
{{- $options := "argocd.argoproj.io/sync-options" -}}
{{- $sync := append (compact (list (get $own $options))) "Prune=false,Delete=false" | join "," -}}
{{- merge (dict "helm.sh/resource-policy" "keep" $options $sync) $own | toYaml -}}
{{- end -}}

{{/* The n8n components of this release, as JSON {"list": [...]}: main, worker, webhook. */}}
{{- define "n8n-tuned.components" -}}
{{- $components := list "main" -}}
{{- if eq .Values.executions.mode "queue" -}}
{{- $components = append $components "worker" -}}
{{- if gt (int .Values.webhook.replicas) 0 -}}{{- $components = append $components "webhook" -}}{{- end -}}
{{- end -}}
{{- dict "list" $components | toJson -}}
{{- end -}}

{{/* Whether the release has webhook processors: "true" or "". Takes the root context. */}}
{{- define "n8n-tuned.hasWebhookProcessors" -}}
{{- if has "webhook" (include "n8n-tuned.components" . | fromJson).list -}}true{{- end -}}
{{- end -}}
