{{/*
Refuses labels and annotations by which the chart and Helm know their objects, and a name that changes the selector of a Deployment
in the cluster (seen only where Helm asks the cluster: on `helm upgrade`, not on `helm template`).
*/}}

{{- define "n8n-tuned.check.labels" -}}
{{- $main := dict "context" . "component" "main" -}}
{{- $own := include "n8n-tuned.ownObjectLabels" $main | fromYaml -}}
{{- $deployment := include "n8n-tuned.componentName" $main -}}
{{- $label := "app.kubernetes.io/name" -}}
{{- with lookup "apps/v1" "Deployment" .Release.Namespace $deployment }}
{{- $has := get (dig "spec" "selector" "matchLabels" dict .) $label }}
{{- if and $has (ne $has (get $own $label)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "selector-changed"
  "value" (printf "nameOverride=%s" $.Values.nameOverride)
  "why" (printf "the Deployment %s selects its pods by %s=%s, and Kubernetes does not change that: the Services would select none" $deployment $label $has)
  "do" (printf "Set nameOverride=%s, or leave it as it was" $has)) }}
{{- end }}
{{- end }}
{{- $lists := dict "commonLabels" .Values.commonLabels -}}
{{- range $name := list "serviceMonitor" "dashboard" "rules" -}}
{{- $_ := set $lists (printf "metrics.%s.labels" $name) (get $.Values.metrics $name).labels -}}
{{- end -}}
{{- range $component := list "main" "worker" "webhook" -}}
{{- $_ := set $lists (printf "%s.podLabels" $component) (get $.Values $component).podLabels -}}
{{- end -}}
{{- range $path, $labels := $lists }}
{{- range $name := keys ($labels | default dict) | sortAlpha }}
{{- if hasKey $own $name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "label-of-the-chart"
  "value" (printf "%s %s" $path $name)
  "why" "the chart sets this label itself, and some objects select pods by it"
  "do" "Remove it (nameOverride and fullnameOverride change names)") }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name := keys (.Values.commonAnnotations | default dict) | sortAlpha }}
{{- if or (hasPrefix "helm.sh/" $name) (hasPrefix "meta.helm.sh/" $name) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "annotation-of-helm"
  "value" (printf "commonAnnotations %s" $name)
  "why" "every object would get it, and Helm acts on it: helm.sh/hook takes an object out of the release, helm.sh/resource-policy keeps it at uninstall"
  "do" "Remove it, and annotate the one object that needs it") }}
{{- end }}
{{- end }}
{{- end -}}
