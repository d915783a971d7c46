{{/*
Refuses values that break the guarantees of the chart for every pod: no root, no privileges, nothing of the node, read-only roots.
files/pod-security.yaml says what.
*/}}

{{- define "n8n-tuned.check.security" -}}
{{- $table := .Files.Get "files/pod-security.yaml" | fromYaml -}}
{{- if hasKey (.Values.securityContext.container | default dict) "readOnlyRootFilesystem" }}
{{ include "n8n-tuned.refusal" (dict
  "code" "read-only-root"
  "value" "securityContext.container.readOnlyRootFilesystem"
  "why" "every root file system is read-only, and volumes are mounted where programs write"
  "do" "Remove it, and mount a volume with extraVolumes and extraVolumeMounts where something else writes") }}
{{- end }}
{{- range $kind := list "pod" "container" }}
{{- include "n8n-tuned.check.securityRows" (dict
  "rows" $table.contexts "path" (printf "securityContext.%s" $kind) "values" (get $.Values.securityContext $kind | default dict)) }}
{{- end }}
{{- range $component := list "main" "worker" "webhook" }}
{{- $values := index $.Values $component }}
{{- range $list := list "extraContainers" "extraInitContainers" }}
{{- range index $values $list }}
{{- $path := printf "%s.%s name=%s" $component $list .name }}
{{- include "n8n-tuned.check.securityRows" (dict "rows" $table.containers "path" $path "values" .) }}
{{- include "n8n-tuned.check.securityRows" (dict
  "rows" $table.contexts "path" (printf "%s securityContext" $path) "values" (.securityContext | default dict)) }}
{{- end }}
{{- end }}
{{- range $name, $profile := $values.podAnnotations }}
{{- $isProfile := hasPrefix "container.apparmor.security.beta.kubernetes.io/" $name }}
{{- if and $isProfile (not (regexMatch "^(runtime/default|localhost/.+)$" (toString $profile))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "unconfined"
  "value" (printf "%s.podAnnotations %s=%v" $component $name $profile)
  "why" "the restricted Pod Security Standard allows only the profiles of the container runtime and of the node"
  "do" "Write runtime/default or localhost/ and a name, or remove it") }}
{{- end }}
{{- end }}
{{- end }}
{{- include "n8n-tuned.check.volumesOfNode" (dict "context" . "allowed" $table.volumes) }}
{{- end -}}

{{/*
Refuses fields by rows of the table. Takes (dict "rows" "path" "values"): `path` is that of the values, which are a map of fields.
*/}}
{{- define "n8n-tuned.check.securityRows" -}}
{{- $values := .values -}}
{{- $of := .path -}}
{{- range $row := .rows }}
{{- range $rule := list "allows" "forbids" }}
{{- range $field, $pattern := get $row $rule | default dict }}
{{- range (include "n8n-tuned.valuesAt" (dict "values" $values "path" $field) | fromJson).list }}
{{- if ne (regexMatch $pattern (toJson .value)) (eq $rule "allows") }}
{{ include "n8n-tuned.refusal" (dict
  "code" $row.code
  "value" (printf "%s.%s=%s" $of .path (toJson .value | trimAll "\""))
  "why" $row.why
  "do" $row.do) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Refuses volumes that are of the node, or of a storage of its own kind. Takes (dict "context" "allowed"), kinds of volumes. */}}
{{- define "n8n-tuned.check.volumesOfNode" -}}
{{- $allowed := .allowed -}}
{{- range $component := list "main" "worker" "webhook" "taskRunners" }}
{{- range $volume := (index $.context.Values $component).extraVolumes }}
{{- range $kind, $content := omit $volume "name" }}
{{- if not (has $kind $allowed) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "volume-of-the-node"
  "value" (printf "%s.extraVolumes name=%s %s" $component $volume.name $kind)
  "why" "pods mount no files of the node, and the restricted Pod Security Standard allows only other kinds of volumes"
  "do" (printf "Make a PersistentVolume of it and set persistentVolumeClaim, or use one of %s" (join ", " $allowed))) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
