{{/* Fields of the spec of a component's pod that say where it runs. Takes (list root component). */}}
{{- define "n8n-tuned.scheduling" -}}
{{- $values := index .context.Values .component -}}
{{- with $values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with include "n8n-tuned.topologySpreadConstraints" . }}
topologySpreadConstraints: {{ . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{/* The constraints as YAML: the values', else over hosts and zones where more than one pod can be. Takes (list root component). */}}
{{- define "n8n-tuned.topologySpreadConstraints" -}}
{{- $root := .context -}}
{{- $given := (index $root.Values .component).topologySpreadConstraints -}}
{{- $labels := include "n8n-tuned.selectorLabels" . | fromYaml -}}
{{- $constraints := list -}}
{{- if kindIs "slice" $given -}}
{{- range $given -}}
{{- $constraints = append $constraints (ternary . (merge (dict "labelSelector" (dict "matchLabels" $labels)) .) (hasKey . "labelSelector")) -}}
{{- end -}}
{{- else if gt (include "n8n-tuned.maxReplicas" . | int) 1 -}}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" -}}
{{- $constraint := dict "maxSkew" 1 "topologyKey" $key "whenUnsatisfiable" "ScheduleAnyway" "labelSelector" (dict "matchLabels" $labels) -}}
{{- /* Counts the pods of one revision only, else a roll leaves the new ones where the old ones were not. */ -}}
{{- if semverCompare ">=1.27.0-0" $root.Capabilities.KubeVersion.Version -}}
{{- $_ := set $constraint "matchLabelKeys" (list "pod-template-hash") -}}
{{- end -}}
{{- $constraints = append $constraints $constraint -}}
{{- end -}}
{{- end -}}
{{- if $constraints -}}{{- toYaml $constraints -}}{{- end -}}
{{- end -}}
