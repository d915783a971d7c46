{{/* Refuses modules for Code nodes that their code could not import, or that are allowed in two places. */}}

{{- define "n8n-tuned.check.codeNodes" -}}
{{- $modules := .Values.codeNodes.modules -}}
{{- $builtin := .Values.codeNodes.builtin -}}
{{- $given := ternary "codeNodes.modules" "codeNodes.builtin" (gt (len ($modules | default list)) 0) -}}
{{- if or $modules $builtin }}
{{- if eq .Values.taskRunners.mode "external" }}
{{ include "n8n-tuned.refusal" (dict
  "code" "modules-on-the-wrong-side"
  "value" $given
  "why" "with taskRunners.mode=external the code runs in the sidecar, whose image holds the modules"
  "do" "Remove it. Build an image of runners with the modules (taskRunners.image), and allow them in taskRunners.config") }}
{{- end }}
{{- if not (include "n8n-tuned.atLeast" (dict "context" . "version" "1.123.0")) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "modules-unsupported"
  "value" $given
  "why" (printf "n8n is %s, and older versions than 1.123 look for modules elsewhere" (include "n8n-tuned.version" .))
  "do" "Remove it, or set image.tag to 1.123.0 or newer") }}
{{- end }}
{{- $own := dict "NODE_PATH" $modules "NODE_FUNCTION_ALLOW_EXTERNAL" $modules "NODE_FUNCTION_ALLOW_BUILTIN" $builtin }}
{{- range include "n8n-tuned.extraEnv" (dict "context" . "components" (list "main" "worker")) | fromJsonArray }}
{{- if get $own .name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "variable-twice"
  "value" (printf "extraEnv %s" .name)
  "why" (printf "%s sets this variable" (ternary "codeNodes.builtin" "codeNodes.modules" (eq .name "NODE_FUNCTION_ALLOW_BUILTIN")))
  "do" "Remove one of the two") }}
{{- end }}
{{- end }}
{{- end }}
{{- include "n8n-tuned.check.exactVersions" (dict "value" "codeNodes.modules" "packages" $modules) }}
{{- $known := .Files.Get "files/node-modules.yaml" | fromYamlArray }}
{{- range $builtin }}
{{- if hasPrefix "node:" . }}
{{ include "n8n-tuned.refusal" (dict
  "code" "builtin-with-prefix"
  "value" (printf "codeNodes.builtin %s" .)
  "why" "modules are listed without node:, and code may then import them with and without it"
  "do" (printf "Write %s" (trimPrefix "node:" .))) }}
{{- else if not (has . $known) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "builtin-unknown"
  "value" (printf "codeNodes.builtin %s" .)
  "why" "Node has no module of this name"
  "do" "Correct it, or put an npm package with its version into codeNodes.modules") }}
{{- end }}
{{- end }}
{{- end -}}
