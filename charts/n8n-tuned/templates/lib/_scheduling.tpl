{{/* Where pods may run. */}}

{{/*
Fields of the spec of a pod that say where it may run, or "": those of the component's values, or the chart-wide ones. Takes
(dict "context" "values"), `values` as the name of the component in the values.
*/}}
{{- define "n8n-tuned.placement" -}}
{{- $own := index .context.Values .values -}}
{{- $fields := dict -}}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "priorityClassName" -}}
{{- with get $own $field | default (get $.context.Values $field) -}}{{- $_ := set $fields $field . -}}{{- end -}}
{{- end -}}
{{- if $fields -}}{{- toYaml $fields -}}{{- end -}}
{{- end -}}

{{/* The scheduling fields of the spec of an n8n pod, or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.scheduling" -}}
{{- include "n8n-tuned.placement" (dict "context" .context "values" .component) -}}
{{- with include "n8n-tuned.topologySpreadConstraints" . }}
topologySpreadConstraints: {{- . | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
Topology spread constraints as YAML: those of the values, or over hosts and zones if there can be more than one pod. Takes
(dict "context" "component").
*/}}
{{- define "n8n-tuned.topologySpreadConstraints" -}}
{{- $given := (index .context.Values .component).topologySpreadConstraints -}}
{{- $selector := dict "matchLabels" (include "n8n-tuned.selectorLabels" . | fromYaml) -}}
{{- $constraints := list -}}
{{- if kindIs "slice" $given -}}
{{- range $given -}}
{{- $selected := merge (dict "labelSelector" $selector) . -}}
{{- $constraints = append $constraints (ternary . $selected (hasKey . "labelSelector")) -}}
{{- end -}}
{{- else if gt (include "n8n-tuned.maxReplicas" . | int) 1 -}}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" -}}
{{- $constraint := dict "maxSkew" 1 "topologyKey" $key "whenUnsatisfiable" "ScheduleAnyway" "labelSelector" $selector -}}
{{- /* Without this, pods of the old revision count during a roll and leave the new ones unevenly spread. */ -}}
{{- if semverCompare ">=1.27.0-0" $.context.Capabilities.KubeVersion.Version -}}
{{- $_ := set $constraint "matchLabelKeys" (list "pod-template-hash") -}}
{{- end -}}
{{- $constraints = append $constraints $constraint -}}
{{- end -}}
{{- end -}}
{{- if $constraints -}}{{- toYaml $constraints -}}{{- end -}}
{{- end -}}
