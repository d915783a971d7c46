{{/*
Refuses texts that do not look like what they are for (files/formats.yaml). It runs before the other checks, which rely on it.
*/}}

{{- define "n8n-tuned.check.formats" -}}
{{- range $format := .Files.Get "files/formats.yaml" | fromYamlArray }}
{{- range $path := $format.values }}
{{- range (include "n8n-tuned.textsAt" (dict "values" $.Values "path" $path) | fromJson).list }}
{{- if or (not (regexMatch $format.pattern .text)) (and $format.except (regexMatch $format.except .text)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "format"
  "value" (printf "%s=%s" .path .text)
  "why" (printf "this is not %s" (splitList ", for example" $format.is | first))
  "do" (printf "Write %s" $format.is)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
Texts at a path of the values (its form: files/formats.yaml), as JSON {"list": [{"path", "text"}]}; none where the values have
another type, or nothing. Takes (dict "values" "path").
*/}}
{{- define "n8n-tuned.textsAt" -}}
{{- $texts := list -}}
{{- range (include "n8n-tuned.valuesAt" . | fromJson).list -}}
{{- if kindIs "string" .value -}}{{- $texts = append $texts (dict "path" .path "text" .value) -}}{{- end -}}
{{- end -}}
{{- dict "list" $texts | toJson -}}
{{- end -}}

{{/* What is at such a path, of any type, as JSON {"list": [{"path", "value"}]}. Takes (dict "values" "path"). */}}
{{- define "n8n-tuned.valuesAt" -}}
{{- $found := list (dict "path" "" "value" .values) -}}
{{- range $part := splitList "." .path -}}
{{- $name := regexFind "^[A-Za-z0-9]+" $part -}}
{{- $into := trimPrefix $name $part -}}
{{- $next := list -}}
{{- range $at := $found -}}
{{- if and (kindIs "map" $at.value) (hasKey $at.value $name) -}}
{{- $path := ternary (printf "%s.%s" $at.path $name) $name (ne $at.path "") -}}
{{- $value := get $at.value $name -}}
{{- if and (eq $into "[]") (kindIs "slice" $value) -}}
{{- range $index, $entry := $value -}}
{{- $next = append $next (dict "path" (printf "%s[%d]" $path $index) "value" $entry) -}}
{{- end -}}
{{- else if and (hasPrefix "{" $into) (kindIs "map" $value) -}}
{{- range $key, $entry := $value -}}
{{- $next = append $next (dict "path" (printf "%s.%s" $path $key) "value" (ternary $key $entry (eq $into "{key}"))) -}}
{{- end -}}
{{- else if eq $into "" -}}
{{- $next = append $next (dict "path" $path "value" $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $found = $next -}}
{{- end -}}
{{- dict "list" $found | toJson -}}
{{- end -}}
