{{/* Refuses values that have no effect because another value switches off what they configure (files/no-effect.yaml). */}}

{{- define "n8n-tuned.check.unused" -}}
{{- range $row := .Files.Get "files/no-effect.yaml" | fromYamlArray }}
{{- $holds := "" }}
{{- range $row.unless }}{{ $holds = cat $holds (include "n8n-tuned.holds" (dict "context" $ "condition" .)) | trim }}{{ end }}
{{- if not $holds }}
{{- range $path := $row.values }}
{{- $given := include "n8n-tuned.valueAt" (dict "values" $.Values "path" $path) | fromJson }}
{{- if $given.value }}{{ include "n8n-tuned.noEffect" (dict "path" $path "value" $given.value "because" $row.because) }}{{ end }}
{{- end }}
{{- range $path, $default := $row.differs }}
{{- $given := include "n8n-tuned.valueAt" (dict "values" $.Values "path" $path) | fromJson }}
{{- if ne (toJson $given.value) (toJson $default) }}
{{ include "n8n-tuned.noEffect" (dict "path" $path "value" $given.value "because" $row.because) }}
{{- end }}
{{- end }}
{{- range $path, $most := $row.above }}
{{- $given := include "n8n-tuned.valueAt" (dict "values" $.Values "path" $path) | fromJson }}
{{- if gt (int $given.value) (int $most) }}
{{ include "n8n-tuned.noEffect" (dict "path" $path "value" $given.value "because" $row.because) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Whether a condition of files/no-effect.yaml holds: "true" or "". Takes (dict "context" "condition"). */}}
{{- define "n8n-tuned.holds" -}}
{{- $condition := .condition -}}
{{- if hasPrefix "n8n-tuned." $condition -}}
{{- if include $condition .context -}}true{{- end -}}
{{- else if hasPrefix "reads:" $condition -}}
{{- include "n8n-tuned.reads" (dict "context" .context "variable" (trimPrefix "reads:" $condition)) -}}
{{- else -}}
{{- $path := trimPrefix "!" $condition | splitList "=" | first -}}
{{- $value := (include "n8n-tuned.valueAt" (dict "values" .context.Values "path" $path) | fromJson).value -}}
{{- if contains "=" $condition -}}
{{- if eq (toString $value) (splitList "=" $condition | last) -}}true{{- end -}}
{{- else if ne (empty $value) (not (hasPrefix "!" $condition)) -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Looks up a path, such as worker.replicas, in values. Prints JSON: {"value": ...}, or {"value": null} if the path does not exist.
Takes (dict "values" "path").
*/}}
{{- define "n8n-tuned.valueAt" -}}
{{- $value := .values -}}
{{- range splitList "." .path -}}
{{- if and (kindIs "map" $value) (hasKey $value .) -}}{{- $value = get $value . -}}{{- else -}}{{- $value = get (dict "none" nil) "none" -}}{{- end -}}
{{- end -}}
{{- dict "value" $value | toJson -}}
{{- end -}}

{{/* The refusal of a value without effect, with its content if that is short. Takes (dict "path" "value" "because"). */}}
{{- define "n8n-tuned.noEffect" -}}
{{- $content := toJson .value -}}
{{- if kindIs "string" .value -}}{{- $content = .value -}}{{- end -}}
{{- if kindIs "map" .value -}}{{- $content = keys .value | sortAlpha | join ", " -}}{{- end -}}
{{- if kindIs "slice" .value -}}
{{- $content = "[...]" -}}
{{- if and .value (kindIs "string" (first .value)) -}}{{- $content = join "," .value -}}{{- end -}}
{{- end }}
{{ include "n8n-tuned.refusal" (dict
  "code" "no-effect"
  "value" (printf "%s=%s" .path $content)
  "why" (printf "it has no effect, because %s" .because)
  "do" "Remove it, or change that") }}
{{- end -}}
