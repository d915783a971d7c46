{{/* Refuses a store for binary data that n8n cannot use, or whose files other components cannot read. */}}

{{- define "n8n-tuned.check.binaryData" -}}
{{- $mode := toString .Values.binaryData.mode -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $queue := eq .Values.executions.mode "queue" -}}
{{- if and (eq $mode "filesystem") $queue }}
{{ include "n8n-tuned.refusal" (dict
  "code" "filesystem-in-queue"
  "value" "binaryData.mode=filesystem"
  "why" "it stores a file on the disk of one process, and in queue mode other processes must read the file"
  "do" "Set binaryData.mode=database or s3, or remove it") }}
{{- end }}
{{- if and (eq $mode "filesystem") (not $queue) (include "n8n-tuned.losesFiles" .) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "files-without-volume"
  "value" "binaryData.mode=filesystem"
  "why" "main.persistence.enabled=false, so files are gone with the pod, while PostgreSQL keeps the executions that need them"
  "do" "Remove it, or set main.persistence.enabled=true") }}
{{- end }}
{{- range include "n8n-tuned.extraEnv" (dict "context" . "components" (list "main" "worker" "webhook")) | fromJsonArray }}
{{- $inFiles := and (eq .name "N8N_EXECUTION_DATA_STORAGE_MODE") (eq (get . "value" | toString) "filesystem") }}
{{- if and $inFiles $queue }}
{{ include "n8n-tuned.refusal" (dict
  "code" "execution-data-in-files"
  "value" (printf "extraEnv %s=filesystem" .name)
  "why" "the process that starts an execution would store its data on its own disk, and a worker does not find them there"
  "do" "Remove the variable") }}
{{- else if and $inFiles (not $.Values.main.persistence.enabled) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "execution-data-in-files"
  "value" (printf "extraEnv %s=filesystem" .name)
  "why" "main.persistence.enabled=false, so the data of all executions are gone with the pod"
  "do" "Remove the variable, or set main.persistence.enabled=true") }}
{{- end }}
{{- end }}
{{- if and (eq $mode "database") (not (include "n8n-tuned.atLeast" (dict "context" . "version" "1.123.0"))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "binary-data-database-unsupported"
  "value" "binaryData.mode=database"
  "why" (printf "n8n %s does not have this mode; n8n 1.123 and newer do" $version)
  "do" (printf "Set binaryData.mode=%s, or image.tag to 1.123.0 or newer" (ternary "default" "filesystem" $queue))) }}
{{- end }}
{{- if eq $mode "s3" }}
{{- if not (include "n8n-tuned.reads" (dict "context" . "variable" "N8N_EXTERNAL_STORAGE_S3_BUCKET_NAME")) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "s3-unsupported"
  "value" "binaryData.mode=s3"
  "why" (printf "n8n %s does not support S3; n8n 1.27 and newer do" $version)
  "do" "Set another binaryData.mode, or image.tag to 1.27.0 or newer") }}
{{- else }}
{{- include "n8n-tuned.check.s3" . }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The bucket of an n8n that supports S3. */}}
{{- define "n8n-tuned.check.s3" -}}
{{- $s3 := .Values.binaryData.s3 -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- range $name := list "host" "bucket" "region" }}
{{- if not (index $s3 $name) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "s3-incomplete"
  "value" (printf "binaryData.s3.%s" $name)
  "why" "it is empty, and binaryData.mode=s3 needs it to find the bucket"
  "do" "Set it") }}
{{- end }}
{{- end }}
{{- $detects := include "n8n-tuned.reads" (dict "context" . "variable" "N8N_EXTERNAL_STORAGE_S3_AUTH_AUTO_DETECT") }}
{{- if not (or $s3.existingSecret $s3.accessKeyFile $detects) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "s3-identity-unsupported"
  "value" "binaryData.s3.existingSecret"
  "why" (printf "it is empty, and n8n %s cannot use the identity of the pod's service account; n8n 1.114 and newer can" $version)
  "do" "Set it to the Secret that holds the access key, or set image.tag to 1.114.0 or newer") }}
{{- end }}
{{- if and (eq $s3.protocol "http") (not (include "n8n-tuned.reads" (dict "context" . "variable" "N8N_EXTERNAL_STORAGE_S3_PROTOCOL"))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "s3-http-unsupported"
  "value" "binaryData.s3.protocol=http"
  "why" (printf "n8n %s supports only https; n8n 1.95 and newer support http" $version)
  "do" "Remove it, or set image.tag to 1.95.0 or newer") }}
{{- end }}
{{- end -}}
