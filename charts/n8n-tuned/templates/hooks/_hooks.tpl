{{/* Whether the component has them, or "". Those who set EXTERNAL_HOOK_FILES themselves have their own. */}}
{{- define "n8n-tuned.hasHooks" -}}
{{- $values := .context.Values -}}
{{- $own := false -}}
{{- range concat $values.extraEnv (index $values .component).extraEnv -}}{{- if eq .name "EXTERNAL_HOOK_FILES" -}}{{- $own = true -}}{{- end -}}{{- end -}}
{{- if and (ne .component "worker") (not $own) -}}true{{- end -}}
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
    name: {{ include "n8n-tuned.componentName" (dict "context" .context "component" "hooks") }}
{{- end }}
{{- end -}}

{{- define "n8n-tuned.hooks.volumeMounts" -}}
{{- if include "n8n-tuned.hasHooks" . }}
- name: hooks
  mountPath: /opt/n8n-tuned
  readOnly: true
{{- end }}
{{- end -}}
