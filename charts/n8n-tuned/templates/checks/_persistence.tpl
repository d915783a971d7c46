{{/* Refuses access modes that no claim can have together. */}}

{{- define "n8n-tuned.check.persistence" -}}
{{- range $component := list "main" "postgresql" "redis" }}
{{- $modes := (index $.Values $component).persistence.accessModes }}
{{- if and (has "ReadWriteOncePod" $modes) (gt (len $modes) 1) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "access-mode-with-others"
  "value" (printf "%s.persistence.accessModes=%s" $component (join "," $modes))
  "why" "ReadWriteOncePod gives the volume to one pod alone, and Kubernetes rejects it beside other modes"
  "do" "Remove it, or the others") }}
{{- end }}
{{- end }}
{{- end -}}
