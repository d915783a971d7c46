{{/* Code nodes: which modules their code may import. n8n starts the runner of a pod with its own NODE_PATH (read: 1.123, 2.41). */}}

{{/* Folder of the modules that are installed for Code nodes. */}}
{{- define "n8n-tuned.modulesFolder" -}}
/home/node/code-modules
{{- end -}}

{{/* Whether a component's pod has modules for Code nodes: "true" or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.hasModules" -}}
{{- if and .context.Values.codeNodes.modules (ne .component "webhook") -}}true{{- end -}}
{{- end -}}

{{/* The npm packages among them without their versions, as a JSON array. Takes the root context. */}}
{{- define "n8n-tuned.moduleNames" -}}
{{- $names := list -}}
{{- range .Values.codeNodes.modules -}}{{- $names = append $names (regexFind "^(@[^/@]+/)?[^@/]+" .) -}}{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{/* Environment variables of Code nodes, as list items, or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.modules.env" -}}
{{- if include "n8n-tuned.hasModules" . }}
- name: NODE_PATH
  value: {{ include "n8n-tuned.modulesFolder" .context }}/node_modules
- name: NODE_FUNCTION_ALLOW_EXTERNAL
  value: {{ include "n8n-tuned.moduleNames" .context | fromJsonArray | join "," | quote }}
{{- end }}
{{- if and .context.Values.codeNodes.builtin (ne .component "webhook") }}
{{- /* n8n compares what the code asks for with each entry, letter by letter (read: 2.41). */}}
{{- $names := list }}
{{- range .context.Values.codeNodes.builtin }}{{ $names = append $names (printf "%s,node:%s" . .) }}{{ end }}
- name: NODE_FUNCTION_ALLOW_BUILTIN
  value: {{ join "," $names | quote }}
{{- end }}
{{- end -}}
