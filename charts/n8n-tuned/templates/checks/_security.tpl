{{/* Refuses security contexts that undo what the chart promises of every pod: no root, no privileges, read-only roots. */}}

{{- define "n8n-tuned.check.security" -}}
{{- $contexts := dict "pod" (.Values.securityContext.pod | default dict) "container" (.Values.securityContext.container | default dict) -}}
{{- if hasKey $contexts.container "readOnlyRootFilesystem" }}
{{ include "n8n-tuned.refusal" (dict
  "code" "read-only-root"
  "value" "securityContext.container.readOnlyRootFilesystem"
  "why" "every root file system is read-only, and volumes are mounted where programs write"
  "do" "Remove it, and mount a volume with extraVolumes and extraVolumeMounts where something else writes") }}
{{- end }}
{{- $forbidden := dict
  "runAsUser" 0 "runAsNonRoot" false "privileged" true "allowPrivilegeEscalation" true -}}
{{- range $kind, $context := $contexts }}
{{- range $field, $content := $forbidden }}
{{- if and (hasKey $context $field) (eq (toJson (get $context $field)) (toJson $content)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "root-or-privileged"
  "value" (printf "securityContext.%s.%s=%v" $kind $field $content)
  "why" "no process of the chart needs root or privileges, and the restricted Pod Security Standard forbids it"
  "do" (printf "Remove it%s" (ternary " (securityContext.setIds=false lets the cluster assign the user)" "" (hasPrefix "runAs" $field)))) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
