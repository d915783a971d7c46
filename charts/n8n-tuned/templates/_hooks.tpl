{{/* External hooks of n8n (files/hooks.js) in the pods that serve HTTP. All take (list root component). */}}

{{/* Whether the component has them, or "". Those who set EXTERNAL_HOOK_FILES themselves have their own. */}}
{{- define "n8n-tuned.hasHooks" -}}
{{- $values := (index . 0).Values -}}
{{- $own := false -}}
{{- range concat $values.extraEnv (index $values (index . 1)).extraEnv -}}{{- if eq .name "EXTERNAL_HOOK_FILES" -}}{{- $own = true -}}{{- end -}}{{- end -}}
{{- if and (ne (index . 1) "worker") (not $own) -}}true{{- end -}}
{{- end -}}

{{- define "n8n-tuned.hooks.env" -}}
{{- if include "n8n-tuned.hasHooks" . }}
- name: EXTERNAL_HOOK_FILES
  value: /opt/n8n-tuned/hooks.js
{{- end }}
{{- end -}}

{{- define "n8n-tuned.hooks.volumes" -}}
{{- if include "n8n-tuned.hasHooks" . }}
- name: hooks
  configMap:
    name: {{ include "n8n-tuned.componentName" (list (index . 0) "hooks") }}
{{- end }}
{{- end -}}

{{- define "n8n-tuned.hooks.volumeMounts" -}}
{{- if include "n8n-tuned.hasHooks" . }}
- name: hooks
  mountPath: /opt/n8n-tuned
  readOnly: true
{{- end }}
{{- end -}}
