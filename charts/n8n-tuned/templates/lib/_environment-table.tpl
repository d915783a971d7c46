{{/* Which variables this n8n version reads: files/environment.yaml says it for all of them. */}}

{{- define "n8n-tuned.envTable" -}}
{{- .Files.Get "files/environment.yaml" -}}
{{- end -}}

{{/*
The variables of a list that the chart sets for this n8n version, as YAML. Takes (dict "context" "env"), `env` as YAML; of what is
no YAML, such as a name with braces, there is none: the checks refuse it.
*/}}
{{- define "n8n-tuned.readEnv" -}}
{{- $table := include "n8n-tuned.envTable" .context | fromYaml -}}
{{- $version := include "n8n-tuned.version" .context -}}
{{- $read := list -}}
{{- range .env | fromYamlArray -}}
{{- if kindIs "map" . -}}
{{- $row := get $table .name | default dict -}}
{{- $versions := get $row "sets" | default (get $row "reads") | default "*" -}}
{{- if semverCompare $versions $version -}}{{- $read = append $read . -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $read -}}
{{- end -}}

{{/* Whether this n8n version reads a variable: "true" or "". Takes (dict "context" "variable"). */}}
{{- define "n8n-tuned.reads" -}}
{{- $row := get (include "n8n-tuned.envTable" .context | fromYaml) .variable -}}
{{- if semverCompare (get $row "reads" | default "*") (include "n8n-tuned.version" .context) -}}true{{- end -}}
{{- end -}}

{{/* The variables of `extraEnv` and of that of the components, as JSON. Takes (dict "context" "components"). */}}
{{- define "n8n-tuned.extraEnv" -}}
{{- $all := .context.Values.extraEnv | default list -}}
{{- range .components -}}{{- $all = concat $all ((index $.context.Values .).extraEnv | default list) -}}{{- end -}}
{{- toJson $all -}}
{{- end -}}

{{/* Every list of such variables by its path in the values, as JSON. */}}
{{- define "n8n-tuned.extraEnvByPath" -}}
{{- $lists := dict "extraEnv" (.Values.extraEnv | default list) "taskRunners.extraEnv" (.Values.taskRunners.extraEnv | default list) -}}
{{- range list "main" "worker" "webhook" -}}
{{- $_ := set $lists (printf "%s.extraEnv" .) ((index $.Values .).extraEnv | default list) -}}
{{- end -}}
{{- toJson $lists -}}
{{- end -}}

{{/* The variables that extraEnv must not set, and for each what to do instead, as YAML. */}}
{{- define "n8n-tuned.ownedEnv" -}}
{{- $owned := dict -}}
{{- range $name, $row := include "n8n-tuned.envTable" . | fromYaml -}}
{{- with $row.use -}}{{- $_ := set $owned $name (printf "Set %s instead" .) -}}{{- end -}}
{{- with $row.fixed -}}{{- $_ := set $owned $name (printf "Remove it: %s" .) -}}{{- end -}}
{{- end -}}
{{- toYaml $owned -}}
{{- end -}}
