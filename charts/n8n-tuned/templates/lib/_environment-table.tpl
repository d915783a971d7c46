{{- define "n8n-tuned.envTable" -}}
{{- .Files.Get "files/environment.yaml" -}}
{{- end -}}

{{/* Of a list of variables those that this version of n8n is to be given. Takes (list root yaml). */}}
{{- define "n8n-tuned.readEnv" -}}
{{- $root := .context -}}
{{- $table := include "n8n-tuned.envTable" $root | fromYaml -}}
{{- $version := include "n8n-tuned.version" $root -}}
{{- $read := list -}}
{{- range .env | fromYamlArray -}}
{{- $row := get $table .name | default dict -}}
{{- if semverCompare (get $row "sets" | default (get $row "reads") | default "*") $version -}}{{- $read = append $read . -}}{{- end -}}
{{- end -}}
{{- toYaml $read -}}
{{- end -}}

{{/* Whether this version of n8n reads a variable: "true" or "". Takes (list root name). */}}
{{- define "n8n-tuned.reads" -}}
{{- $row := get (include "n8n-tuned.envTable" .context | fromYaml) .variable -}}
{{- if semverCompare (get $row "reads" | default "*") (include "n8n-tuned.version" .context) -}}true{{- end -}}
{{- end -}}

{{/* The names that something else than extraEnv decides, and for each what to set instead. */}}
{{- define "n8n-tuned.ownedEnv" -}}
{{- $owned := dict -}}
{{- range $name, $row := include "n8n-tuned.envTable" . | fromYaml -}}
{{- if $row.use -}}{{- $_ := set $owned $name $row.use -}}{{- end -}}
{{- end -}}
{{- toYaml $owned -}}
{{- end -}}
