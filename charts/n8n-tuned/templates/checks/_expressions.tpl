{{/* Refuses the less safe expression engine unless it is accepted, and settings that the engine does not have. */}}

{{- define "n8n-tuned.check.expressions" -}}
{{- $engine := .Values.expressionEngine -}}
{{- if eq $engine.type "legacy" }}
{{- $version := include "n8n-tuned.version" . }}
{{- $hasEngines := semverCompare (index (include "n8n-tuned.envTable" . | fromYaml) "N8N_EXPRESSION_ENGINE").sets $version }}
{{- if and $hasEngines (not $engine.acceptLessSafe) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "legacy-engine-not-accepted"
  "value" "expressionEngine.type=legacy"
  "why" (printf "n8n %s then evaluates expressions in its own process, so a malicious expression can read n8n's secrets" $version)
  "do" "Set expressionEngine.acceptLessSafe=true if you trust every author of workflows, or set expressionEngine.type=vm") }}
{{- else if $engine.poolSize }}
{{ include "n8n-tuned.refusal" (dict
  "code" "no-effect"
  "value" (printf "expressionEngine.poolSize=%d" (int $engine.poolSize))
  "why" "it has no effect with expressionEngine.type=legacy, which has no isolates"
  "do" "Remove one of the two") }}
{{- end }}
{{- end }}
{{- end -}}
