{{/* Refuses an image whose n8n version the chart cannot know. */}}

{{- define "n8n-tuned.check.version" -}}
{{- $image := .Values.image -}}
{{- $pattern := include "n8n-tuned.versionPattern" . -}}
{{- $given := include "n8n-tuned.givenVersion" . -}}
{{- $do := printf "Set image.version to the n8n version in the image, for example %s" .Chart.AppVersion -}}
{{- if not (regexMatch $pattern $given) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "image-not-a-version"
  "value" (printf "%s=%s" (ternary "image.version" "image.tag" (not (empty $image.version))) $given)
  "why" "this is not a version, and the environment, the probes and the heap depend on the n8n version"
  "do" $do) }}
{{- end }}
{{- if and $image.version $image.tag (regexMatch $pattern $image.version) (regexMatch $pattern ($image.tag | default "")) }}
{{- if ne (trimPrefix "v" $image.version) (trimPrefix "v" $image.tag) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "image-two-versions"
  "value" (printf "image.version=%s" $image.version)
  "why" (printf "image.tag=%s names another version" $image.tag)
  "do" "Remove image.version: it is only for tags that are not a version") }}
{{- end }}
{{- end }}
{{- if and $image.digest (not $image.tag) (not $image.version) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "image-digest-alone"
  "value" "image.digest"
  "why" "a digest does not tell the n8n version, and the environment, the probes and the heap depend on it"
  "do" $do) }}
{{- end }}
{{- end -}}
