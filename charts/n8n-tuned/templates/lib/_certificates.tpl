{{- define "n8n-tuned.certificatesEnv" -}}
{{- if .Values.caCertificates.existingSecret }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/n8n-tuned/ca.crt
{{- end }}
{{- end -}}

{{/* The mount of that file, as an item of a list, or nothing. Takes the root. */}}
{{- define "n8n-tuned.certificatesMount" -}}
{{- if .Values.caCertificates.existingSecret }}
- name: ca-certificates
  mountPath: /etc/n8n-tuned
  readOnly: true
{{- end }}
{{- end -}}

{{/* Its volume, as an item of a list, or nothing. Takes the root. */}}
{{- define "n8n-tuned.certificatesVolume" -}}
{{- with .Values.caCertificates }}
{{- if .existingSecret }}
- name: ca-certificates
  secret:
    secretName: {{ .existingSecret }}
    items:
      - key: {{ .existingSecretKey }}
        path: ca.crt
{{- end }}
{{- end }}
{{- end -}}
