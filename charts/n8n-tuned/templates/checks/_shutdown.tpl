{{/* Refuses a grace period that would cut off executions for which n8n still waits. */}}

{{- define "n8n-tuned.check.shutdown" -}}
{{- $given := .Values.gracefulShutdown.terminationGracePeriodSeconds -}}
{{- if not (kindIs "invalid" $given) }}
{{- $needed := 0 }}
{{- $slowest := dict }}
{{- range (include "n8n-tuned.components" . | fromJson).list }}
{{- $component := dict "context" $ "component" . }}
{{- $seconds := include "n8n-tuned.neededGraceSeconds" $component | int }}
{{- if gt $seconds $needed }}{{ $needed = $seconds }}{{ $slowest = $component }}{{ end }}
{{- end }}
{{- if lt (int $given) $needed }}
{{- $preStop := include "n8n-tuned.preStopSeconds" $slowest | int }}
{{- $terms := list (printf "%s s for executions of %s" (include "n8n-tuned.shutdownSeconds" $slowest) $slowest.component)
  (printf "gracefulShutdown.marginSeconds=%d" (int .Values.gracefulShutdown.marginSeconds)) }}
{{- if $preStop }}{{- $terms = prepend $terms (printf "gracefulShutdown.preStopSeconds=%d" $preStop) }}{{- end }}
{{ include "n8n-tuned.refusal" (dict
  "code" "grace-period-too-short"
  "value" (printf "gracefulShutdown.terminationGracePeriodSeconds=%d" (int $given))
  "why" (printf "it is less than %s, so Kubernetes would kill running executions" (join " + " $terms))
  "do" (printf "Set it to %d or more, or remove it" $needed)) }}
{{- end }}
{{- end }}
{{- end -}}
