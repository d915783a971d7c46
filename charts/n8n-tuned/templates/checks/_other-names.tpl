{{/* Refuses values that other charts have by another name, and contents that they write in another form. */}}

{{- define "n8n-tuned.check.otherNames" -}}
{{- range $path, $use := .Files.Get "files/other-names.yaml" | fromYaml }}
{{- $given := $.Values }}
{{- $found := true }}
{{- range $key := splitList "." $path }}
{{- if and (kindIs "map" $given) (hasKey $given $key) }}{{ $given = get $given $key }}{{ else }}{{ $found = false }}{{ end }}
{{- end }}
{{- if $found }}
{{ include "n8n-tuned.refusal" (dict
  "code" "name-of-another-chart"
  "value" $path
  "why" "this chart has no such value"
  "do" (printf "Set %s" $use)) }}
{{- end }}
{{- end }}
{{- $lists := dict
  "ingress.hosts" .Values.ingress.hosts "ingress.webhooks.hosts" .Values.ingress.webhooks.hosts
  "gateway.hostnames" .Values.gateway.hostnames "gateway.webhooks.hostnames" .Values.gateway.webhooks.hostnames }}
{{- range $path, $hosts := $lists }}
{{- range $index, $host := $hosts }}
{{- if kindIs "map" $host }}
{{ include "n8n-tuned.refusal" (dict
  "code" "host-is-an-object"
  "value" (printf "%s[%d]" $path $index)
  "why" "a host is a name, and the chart knows the paths of n8n"
  "do" (printf "Write %s" (get $host "host" | default "n8n.example.com"))) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $path, $variables := include "n8n-tuned.extraEnvByPath" . | fromJson }}
{{- range $variables }}
{{- if and (hasKey . "value") (not (kindIs "string" .value)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "variable-is-no-string"
  "value" (printf "%s %s" $path .name)
  "why" (printf "YAML reads its value as a %s, and the value of a variable is text" (ternary "boolean" "number" (kindIs "bool" .value)))
  "do" (include "n8n-tuned.isSecretName" (dict "context" $ "name" .name) | eq "true" | ternary "Put it into a Secret"
    (printf "Write it in quotes: value: \"%v\"" .value))) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
