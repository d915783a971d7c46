{{/* The rescue: starts crashed executions of tagged workflows again (files/rescue). */}}

{{/* Address of n8n's public API inside the cluster. Takes the root context. */}}
{{- define "n8n-tuned.rescue.apiUrl" -}}
{{- $main := dict "context" . "component" "main" -}}
{{- printf "http://%s:%s/api/v1" (include "n8n-tuned.componentName" $main) (include "n8n-tuned.servicePort" $main) -}}
{{- end -}}

{{/* Port of health and metrics of the rescue. */}}
{{- define "n8n-tuned.rescue.port" -}}9464{{- end -}}

{{/* Digest of its files, so that new ones restart it. Takes the root context. */}}
{{- define "n8n-tuned.rescue.digest" -}}
{{- $files := dict -}}
{{- range $path, $_ := .Files.Glob "files/rescue/*.js" -}}
{{- $_ := set $files $path ($.Files.Get $path) -}}
{{- end -}}
{{- toJson $files | sha256sum | trunc 16 -}}
{{- end -}}
