{{/* Refuses requests above their limits, and quantities of memory without a unit. */}}

{{- define "n8n-tuned.check.resources" -}}
{{- $components := (include "n8n-tuned.components" . | fromJson).list -}}
{{- if include "n8n-tuned.embedsPostgresql" . -}}{{- $components = append $components "postgresql" -}}{{- end -}}
{{- if include "n8n-tuned.embedsRedis" . -}}{{- $components = append $components "redis" -}}{{- end -}}
{{- $components = concat $components (list "taskRunners" "communityPackages" "secretJob" "loadTest" "rescue") -}}
{{- range $component := $components -}}
{{- $resources := index $.Values $component "resources" | default dict -}}
{{- $request := include "n8n-tuned.mebibytes" (dig "requests" "memory" "" $resources) -}}
{{- $limit := include "n8n-tuned.mebibytes" (dig "limits" "memory" "" $resources) -}}
{{- if or (eq $request "0") (eq $limit "0") }}
{{- $name := ternary "limits" "requests" (eq $limit "0") }}
{{ include "n8n-tuned.refusal" (dict
  "code" "memory-below-1-mib"
  "value" (printf "%s.resources.%s.memory=%v" $component $name (index $resources $name "memory"))
  "why" "this is less than 1 MiB, because a number without a unit counts bytes"
  "do" "Add the unit, for example 2Gi") }}
{{- else if and $request $limit (gt (int $request) (int $limit)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "request-above-limit"
  "value" (printf "%s.resources.requests.memory" $component)
  "why" (printf "%s MiB is more than %s.resources.limits.memory (%s MiB), and Kubernetes rejects that" $request $component $limit)
  "do" "Lower the request, or raise the limit") }}
{{- end }}
{{- $request = include "n8n-tuned.millicores" (dig "requests" "cpu" "" $resources) }}
{{- $limit = include "n8n-tuned.millicores" (dig "limits" "cpu" "" $resources) }}
{{- if and $request $limit (gt (int $request) (int $limit)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "request-above-limit"
  "value" (printf "%s.resources.requests.cpu" $component)
  "why" (printf "%sm is more than %s.resources.limits.cpu (%sm), and Kubernetes rejects that" $request $component $limit)
  "do" "Lower the request, or raise the limit") }}
{{- end }}
{{- end }}
{{- end -}}
