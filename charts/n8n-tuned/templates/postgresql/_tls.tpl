{{/*
TLS to an external PostgreSQL. Certificates are files: a variable holds 128 KiB at most (Linux, MAX_ARG_STRLEN), and the bundle
of a cloud may be longer, so that the container would not start. n8n below 1.123 may not read them from files (checked: 1.123.81,
2.41.1) and gets them in variables.
*/}}
{{- define "n8n-tuned.postgresqlTlsFolder" -}}/etc/n8n-tuned-postgresql{{- end -}}

{{/* Which key of the Secret holds the CA, the certificate (CERT) and its KEY, as YAML; {} if none is set. */}}
{{- define "n8n-tuned.postgresqlTlsKeys" -}}
{{- $tls := .Values.externalPostgresql.tls -}}
{{- $keys := dict -}}
{{- if and (include "n8n-tuned.usesPostgresqlTls" .) $tls.existingSecret -}}
{{- range $part, $key := dict "CA" $tls.caKey "CERT" $tls.certKey "KEY" $tls.keyKey -}}
{{- if $key -}}{{- $keys = set $keys $part $key -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $keys -}}
{{- end -}}

{{/* "true" or "". */}}
{{- define "n8n-tuned.usesPostgresqlTls" -}}
{{- $isExternal := and (eq .Values.database.type "postgresql") (not (include "n8n-tuned.embedsPostgresql" .)) -}}
{{- if and $isExternal .Values.externalPostgresql.tls.enabled -}}true{{- end -}}
{{- end -}}

{{/* Whether the keys are mounted: "true" or "". */}}
{{- define "n8n-tuned.mountsPostgresqlTls" -}}
{{- $keys := include "n8n-tuned.postgresqlTlsKeys" . | fromYaml -}}
{{- if and $keys (include "n8n-tuned.atLeast" (dict "context" . "version" "1.123.0")) -}}true{{- end -}}
{{- end -}}

{{/* Environment variables, as list items, or "". */}}
{{- define "n8n-tuned.postgresqlTlsEnv" -}}
{{- $tls := .Values.externalPostgresql.tls -}}
{{- if include "n8n-tuned.usesPostgresqlTls" . -}}
{{- /* Not DB_POSTGRESDB_SSL, which n8n does not read. */ -}}
- name: DB_POSTGRESDB_SSL_ENABLED
  value: "true"
- name: DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED
  value: {{ $tls.rejectUnauthorized | quote }}
{{- range $part, $key := include "n8n-tuned.postgresqlTlsKeys" . | fromYaml }}
{{- if include "n8n-tuned.mountsPostgresqlTls" $ }}
- name: DB_POSTGRESDB_SSL_{{ $part }}_FILE
  value: {{ include "n8n-tuned.postgresqlTlsFolder" $ }}/{{ lower $part }}.pem
{{- else }}
- name: DB_POSTGRESDB_SSL_{{ $part }}
  valueFrom:
    secretKeyRef:
      name: {{ $tls.existingSecret | quote }}
      key: {{ $key | quote }}
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* The mount of the files, as a list item, or "". */}}
{{- define "n8n-tuned.postgresqlTlsMount" -}}
{{- if include "n8n-tuned.mountsPostgresqlTls" . -}}
- name: postgresql-tls
  mountPath: {{ include "n8n-tuned.postgresqlTlsFolder" . }}
  readOnly: true
{{- end -}}
{{- end -}}

{{/* The volume of the files, as a list item, or "". */}}
{{- define "n8n-tuned.postgresqlTlsVolume" -}}
{{- if include "n8n-tuned.mountsPostgresqlTls" . -}}
- name: postgresql-tls
  secret:
    secretName: {{ .Values.externalPostgresql.tls.existingSecret | quote }}
    items:
      {{- range $part, $key := include "n8n-tuned.postgresqlTlsKeys" . | fromYaml }}
      - key: {{ $key | quote }}
        path: {{ lower $part }}.pem
      {{- end }}
{{- end -}}
{{- end -}}
