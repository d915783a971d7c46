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
{{- range $kind, $context := $contexts }}
{{- if eq (dig "type" "" (get $context "seccompProfile" | default dict)) "Unconfined" }}
{{ include "n8n-tuned.refusal" (dict
  "code" "unconfined"
  "value" (printf "securityContext.%s.seccompProfile.type=Unconfined" $kind)
  "why" "the restricted Pod Security Standard forbids processes without a seccomp profile"
  "do" "Set RuntimeDefault or Localhost, or remove it") }}
{{- end }}
{{- end }}
{{- $capabilities := $contexts.container.capabilities | default dict }}
{{- $added := without ($capabilities.add | default list) "NET_BIND_SERVICE" }}
{{- if or $added (and (hasKey $capabilities "drop") (not (has "ALL" $capabilities.drop))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "capabilities"
  "value" (printf "securityContext.container.capabilities.%s" (ternary "add" "drop" (gt (len $added) 0)))
  "why" "no process of the chart needs a capability, and the restricted Pod Security Standard allows none but NET_BIND_SERVICE"
  "do" "Remove it") }}
{{- end }}
{{- end -}}
