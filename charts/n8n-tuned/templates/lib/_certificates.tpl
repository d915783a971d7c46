{{/* Certificate authorities that n8n trusts besides the public ones. Node reads them from a file. */}}

{{/* The variable that names the file, as a list item, or "". Takes the root context. */}}
{{- define "n8n-tuned.certificatesEnv" -}}
{{- if .Values.caCertificates.existingSecret -}}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/n8n-tuned/ca.crt
{{- end -}}
{{- end -}}

{{/* The mount of the file, as a list item, or "". Takes the root context. */}}
{{- define "n8n-tuned.certificatesMount" -}}
{{- if .Values.caCertificates.existingSecret -}}
- name: ca-certificates
  mountPath: /etc/n8n-tuned
  readOnly: true
{{- end -}}
{{- end -}}

{{/* The volume of the file, as a list item, or "". Takes the root context. */}}
{{- define "n8n-tuned.certificatesVolume" -}}
{{- with .Values.caCertificates -}}
{{- if .existingSecret -}}
- name: ca-certificates
  secret:
    secretName: {{ .existingSecret | quote }}
    items:
      - key: {{ .existingSecretKey | quote }}
        path: ca.crt
{{- end -}}
{{- end -}}
{{- end -}}
