{{/* Where n8n stores the binary data of executions. */}}

{{/* The mode: filesystem, database, s3 or default (in memory). */}}
{{- define "n8n-tuned.binaryDataMode" -}}
{{- if .Values.binaryData.mode -}}
{{- .Values.binaryData.mode -}}
{{- else -}}
{{- if and (eq .Values.executions.mode "regular") (not (include "n8n-tuned.losesFiles" .)) -}}
filesystem
{{- else -}}
{{- ternary "database" "default" (eq (include "n8n-tuned.atLeast" (dict "context" . "version" "1.123.0")) "true") -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Whether executions, in PostgreSQL, outlive the files on main's disk, which has no volume: "true" or "". */}}
{{- define "n8n-tuned.losesFiles" -}}
{{- if and (not .Values.main.persistence.enabled) (eq .Values.database.type "postgresql") -}}true{{- end -}}
{{- end -}}

{{/* Whether that is a bucket: "true" or "". */}}
{{- define "n8n-tuned.usesS3" -}}
{{- if eq (include "n8n-tuned.binaryDataMode" .) "s3" -}}true{{- end -}}
{{- end -}}

{{- define "n8n-tuned.binaryDataEnv" -}}
{{- $mode := include "n8n-tuned.binaryDataMode" . -}}
- name: N8N_DEFAULT_BINARY_DATA_MODE
  value: {{ $mode }}
{{- /* Keeps files readable that an earlier mode stored. */}}
- name: N8N_AVAILABLE_BINARY_DATA_MODES
  value: {{ without (list "filesystem" $mode) "default" | uniq | join "," }}
{{- if eq $mode "s3" }}
{{- with .Values.binaryData.s3 }}
- name: N8N_EXTERNAL_STORAGE_S3_HOST
  value: {{ .host | quote }}
- name: N8N_EXTERNAL_STORAGE_S3_PROTOCOL
  value: {{ .protocol }}
- name: N8N_EXTERNAL_STORAGE_S3_BUCKET_NAME
  value: {{ .bucket | quote }}
- name: N8N_EXTERNAL_STORAGE_S3_BUCKET_REGION
  value: {{ .region | quote }}
{{- if or .existingSecret .accessKeyFile }}
{{- $own := dict "existingSecret" .existingSecret }}
{{ include "n8n-tuned.secretVariable" (dict "context" $ "name" "N8N_EXTERNAL_STORAGE_S3_ACCESS_KEY" "file" .accessKeyFile
  "own" (merge (dict "existingSecretKey" .existingSecretAccessKey) $own) "key" "") }}
{{ include "n8n-tuned.secretVariable" (dict "context" $ "name" "N8N_EXTERNAL_STORAGE_S3_ACCESS_SECRET" "file" .secretKeyFile
  "own" (merge (dict "existingSecretKey" .existingSecretSecretKey) $own) "key" "") }}
{{- else }}
- name: N8N_EXTERNAL_STORAGE_S3_AUTH_AUTO_DETECT
  value: "true"
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
