{{/* Refuses a secret that is given twice, one that this n8n does not read from a file, and keys of no Secret. */}}

{{- define "n8n-tuned.check.secrets" -}}
{{- $files := dict
  "externalPostgresql.passwordFile" (dict "file" .Values.externalPostgresql.passwordFile "own" .Values.externalPostgresql "since" "0.0.0")
  "externalRedis.passwordFile" (dict "file" .Values.externalRedis.passwordFile "own" .Values.externalRedis "since" "1.123.0")
  "binaryData.s3.accessKeyFile" (dict "file" .Values.binaryData.s3.accessKeyFile "own" .Values.binaryData.s3 "since" "1.123.0")
  "license.file" (dict "file" .Values.license.file "own" .Values.license "since" "1.123.0")
  "encryptionKey.file" (dict "file" .Values.encryptionKey.file "own" .Values.encryptionKey "since" "1.123.0") -}}
{{- range $path, $secret := $files }}
{{- $existing := printf "%s.existingSecret" (splitList "." $path | initial | join ".") }}
{{- $needsSecret := and (hasPrefix "externalPostgresql" $path) (or
  $secret.own.existingSecretHostKey $secret.own.existingSecretUserKey $secret.own.existingSecretDatabaseKey) }}
{{- if and $secret.file $secret.own.existingSecret (not $needsSecret) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "secret-twice"
  "value" (printf "%s=%s" $path $secret.file)
  "why" (printf "%s=%s holds it too, and n8n reads only the file" $existing $secret.own.existingSecret)
  "do" "Remove one of the two") }}
{{- end }}
{{- if and $secret.file (not (include "n8n-tuned.atLeast" (dict "context" $ "version" $secret.since))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "secret-file-unsupported"
  "value" (printf "%s=%s" $path $secret.file)
  "why" (printf "n8n %s may not read it from a file; n8n 1.123 and newer do" (include "n8n-tuned.version" $))
  "do" (printf "Set %s, or image.tag to 1.123.0 or newer" $existing)) }}
{{- end }}
{{- end }}
{{- $s3 := .Values.binaryData.s3 }}
{{- if ne (empty $s3.accessKeyFile) (empty $s3.secretKeyFile) }}
{{- $missing := ternary "accessKeyFile" "secretKeyFile" (empty $s3.accessKeyFile) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "half-of-an-access-key"
  "value" (printf "binaryData.s3.%s" $missing)
  "why" (printf "it is empty, and binaryData.s3.%s is set" (ternary "secretKeyFile" "accessKeyFile" (eq $missing "accessKeyFile")))
  "do" "Set both, or none of the two") }}
{{- end }}
{{- range $name := list "existingSecretHostKey" "existingSecretUserKey" "existingSecretDatabaseKey" }}
{{- if and (get $.Values.externalPostgresql $name) (not $.Values.externalPostgresql.existingSecret) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "key-of-no-secret"
  "value" (printf "externalPostgresql.%s=%s" $name (get $.Values.externalPostgresql $name))
  "why" "it names a key of externalPostgresql.existingSecret, which is empty"
  "do" "Set externalPostgresql.existingSecret") }}
{{- end }}
{{- end }}
{{- $postgresql := .Values.externalPostgresql }}
{{- range $name := list "Host" "User" "Database" }}
{{- $given := list }}
{{- range $field := list (lower $name) (printf "existingSecret%sKey" $name) (printf "%sFile" (lower $name)) }}
{{- /* User and database have a default. */}}
{{- if and (get $postgresql $field) (not (and (has $field (list "user" "database")) (eq (get $postgresql $field) "n8n"))) }}
{{- $given = append $given (printf "externalPostgresql.%s=%s" $field (get $postgresql $field)) }}
{{- end }}
{{- end }}
{{- if gt (len $given) 1 }}
{{ include "n8n-tuned.refusal" (dict
  "code" "given-twice"
  "value" (first $given)
  "why" (printf "%s gives the %s too" (rest $given | join " and ") (lower $name))
  "do" "Remove all but one") }}
{{- end }}
{{- end }}
{{- if and .Values.externalRedis.passwordFile (eq (include "n8n-tuned.autoscaler" (dict "context" . "component" "worker")) "keda") }}
{{ include "n8n-tuned.refusal" (dict
  "code" "keda-without-password"
  "value" (printf "externalRedis.passwordFile=%s" .Values.externalRedis.passwordFile)
  "why" "KEDA reads the queue for worker.autoscaling.type=keda, and it cannot read this file"
  "do" "Set externalRedis.existingSecret instead, or worker.autoscaling.type=hpa") }}
{{- end }}
{{- end -}}
