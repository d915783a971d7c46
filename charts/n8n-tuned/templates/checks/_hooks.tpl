{{/* Refuses lists of a user's hooks that n8n could not load beside those of the chart. */}}

{{- define "n8n-tuned.check.hooks" -}}
{{- range $path, $variables := include "n8n-tuned.extraEnvByPath" . | fromJson }}
{{- range $variables }}
{{- $source := get . "valueFrom" | default dict }}
{{- $isOptional := or (dig "secretKeyRef" "optional" false $source) (dig "configMapKeyRef" "optional" false $source) }}
{{- if and (eq .name "EXTERNAL_HOOK_FILES") $isOptional }}
{{ include "n8n-tuned.refusal" (dict
  "code" "hooks-may-be-missing"
  "value" (printf "%s EXTERNAL_HOOK_FILES" $path)
  "why" "without the key n8n would look for a file of the name $(N8N_TUNED_OTHER_HOOK_FILES), and not start"
  "do" "Remove optional, and create the key") }}
{{- end }}
{{- if eq .name "EXTERNAL_HOOK_FILES_FILE" }}
{{ include "n8n-tuned.refusal" (dict
  "code" "hooks-from-a-file"
  "value" (printf "%s EXTERNAL_HOOK_FILES_FILE" $path)
  "why" "n8n ignores it, because the chart sets EXTERNAL_HOOK_FILES, to which it appends yours"
  "do" "Set EXTERNAL_HOOK_FILES, as a value or by valueFrom") }}
{{- end }}
{{- $isSeparator := or (eq .name "EXTERNAL_HOOK_FILES_SEPARATOR") (eq .name "EXTERNAL_HOOK_FILES_SEPARATOR_FILE") }}
{{- if and $isSeparator (or (hasSuffix "_FILE" .name) $source) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "separator-unseen"
  "value" (printf "%s %s" $path .name)
  "why" "the chart puts it between its file and yours, so it must see it"
  "do" "Set EXTERNAL_HOOK_FILES_SEPARATOR as a value, or remove it: n8n's own is :") }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
