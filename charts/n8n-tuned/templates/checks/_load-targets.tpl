{{/* Refuses load targets that were not built, or that variables in extraEnv would break. */}}

{{- define "n8n-tuned.check.loadTargets" -}}
{{- if .Values.loadTargets.enabled }}
{{- if not (.Files.Get "files/n8n-nodes-tuned.json") }}
{{ include "n8n-tuned.refusal" (dict
  "code" "load-targets-not-built"
  "value" "loadTargets.enabled=true"
  "why" "files/n8n-nodes-tuned.json is missing; a build makes it, and it is not committed"
  "do" "Run `make build` or `npm run build:node`") }}
{{- end }}
{{- $guarded := and .Values.hardening.enabled (include "n8n-tuned.reads" (dict "context" . "variable" "N8N_SSRF_PROTECTION_ENABLED")) }}
{{- if and $guarded (has "http-fan-out" .Values.loadTargets.workflows) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "fan-out-blocked"
  "value" "loadTargets.workflows http-fan-out"
  "why" "it sends requests to n8n itself, and hardening.enabled=true blocks those to private addresses"
  "do" "Remove it from the list, or set hardening.enabled=false") }}
{{- end }}
{{- if .Values.hardening.enabled }}
{{- $excluded := include "n8n-tuned.hardening.excludedNodes" . | fromJsonArray }}
{{- range $name := include "n8n-tuned.loadTargets.names" . | fromJsonArray }}
{{- range ($.Files.Get (printf "%s/%s.json" (include "n8n-tuned.loadTargets.folder" $) $name) | fromJson).nodes }}
{{- if has .type $excluded }}
{{ include "n8n-tuned.refusal" (dict
  "code" "load-target-excluded"
  "value" (printf "loadTargets.workflows %s" $name)
  "why" (printf "it has a node of the type %s, which hardening.enabled=true excludes" .type)
  "do" "Remove it from the list, or set taskRunners.mode=external, or add the type to hardening.allowedNodes") }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- $because := dict
  "N8N_COMMUNITY_PACKAGES_ENABLED" "load targets need a community node, so the chart sets it to true"
  "NODES_INCLUDE" "n8n would load only those nodes, and not the load targets" }}
{{- range include "n8n-tuned.extraEnv" (dict "context" . "components" (list "main" "worker" "webhook")) | fromJsonArray }}
{{- if hasPrefix "N8N_LOAD_TARGET_" .name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "ceiling-in-extra-env"
  "value" (printf "extraEnv %s" .name)
  "why" "the chart sets this variable itself"
  "do" "Set loadTargets.ceilings instead") }}
{{- else if hasKey $because .name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "variable-breaks-load-targets"
  "value" (printf "extraEnv %s" .name)
  "why" (get $because .name)
  "do" "Remove it, or set loadTargets.enabled=false") }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
