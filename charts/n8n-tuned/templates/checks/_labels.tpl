{{/* Refuses labels and annotations by which the chart and Helm know their objects. */}}

{{- define "n8n-tuned.check.labels" -}}
{{- $own := include "n8n-tuned.ownObjectLabels" (dict "context" . "component" "main") | fromYaml -}}
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
