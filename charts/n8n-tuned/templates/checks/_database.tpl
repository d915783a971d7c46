{{/* Refuses a database that the mode cannot use, two databases, none, and settings of PostgreSQL that contradict each other. */}}

{{- define "n8n-tuned.check.database" -}}
{{- $external := .Values.externalPostgresql -}}
{{- $given := include "n8n-tuned.externalPostgresql" . -}}
{{- $embedded := .Values.postgresql.enabled -}}
{{- $sqlite := eq .Values.database.type "sqlite" -}}
{{- if and $sqlite (eq .Values.executions.mode "queue") }}
{{ include "n8n-tuned.refusal" (dict
  "code" "sqlite-in-queue"
  "value" "database.type=sqlite"
  "why" "only one process can write to SQLite, and in queue mode main, workers and webhook processors share the database"
  "do" "Set database.type=postgresql, embedded or at externalPostgresql.host; the data in SQLite is not moved") }}
{{- else if $sqlite }}
{{- if and (kindIs "bool" $embedded) $embedded }}
{{ include "n8n-tuned.refusal" (dict
  "code" "postgresql-unused"
  "value" "postgresql.enabled=true"
  "why" "database.type=sqlite does not use PostgreSQL"
  "do" "Set database.type=postgresql, or remove postgresql.enabled") }}
{{- end }}
{{- if $given }}
{{ include "n8n-tuned.refusal" (dict
  "code" "postgresql-unused"
  "value" $given
  "why" "database.type=sqlite does not use PostgreSQL"
  "do" (printf "Set database.type=postgresql, or remove %s" (regexFind "^[^=]+" $given))) }}
{{- end }}
{{- else }}
{{- if and (kindIs "bool" $embedded) $embedded $given }}
{{ include "n8n-tuned.refusal" (dict
  "code" "postgresql-twice"
  "value" "postgresql.enabled=true"
  "why" (printf "%s is a second database, and n8n uses only one" $given)
  "do" "Remove one of the two") }}
{{- else if and (kindIs "bool" $embedded) (not $embedded) (not $given) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "postgresql-missing"
  "value" "postgresql.enabled=false"
  "why" "database.type=postgresql then has no server"
  "do" "Set externalPostgresql.host, or remove postgresql.enabled") }}
{{- end }}
{{- if and $given (not $external.existingSecret) (not $external.passwordFile) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "postgresql-password-missing"
  "value" "externalPostgresql.existingSecret"
  "why" (printf "it is empty, so n8n has no password for %s" $given)
  "do" (printf "Set it to the Secret that holds the password under the key %s" $external.existingSecretKey)) }}
{{- end }}
{{- include "n8n-tuned.check.databaseTls" . }}
{{- include "n8n-tuned.check.databaseParameters" . }}
{{- end }}
{{- end -}}

{{/* Settings of the embedded PostgreSQL that the pod needs as they are, or that have a value of their own. */}}
{{- define "n8n-tuned.check.databaseParameters" -}}
{{- $fixed := dict
  "max_connections" "postgresql.maxConnections sets it"
  "port" "Service and probes use 5432"
  "listen_addresses" "Service and probes reach PostgreSQL on every address of the pod"
  "unix_socket_directories" "its volume is mounted at /var/run/postgresql"
  "data_directory" "its volume is mounted there" -}}
{{- range $name := keys (.Values.postgresql.parameters | default dict) | sortAlpha }}
{{- with get $fixed $name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "postgresql-parameter-fixed"
  "value" (printf "postgresql.parameters.%s" $name)
  "why" .
  "do" "Remove it") }}
{{- end }}
{{- end }}
{{- end -}}

{{/* TLS to an external PostgreSQL. */}}
{{- define "n8n-tuned.check.databaseTls" -}}
{{- $external := .Values.externalPostgresql -}}
{{- $tls := $external.tls -}}
{{- $files := and $tls.existingSecret (or $tls.caKey $tls.certKey $tls.keyKey) -}}
{{- $asksForTls := include "n8n-tuned.reads" (dict "context" . "variable" "DB_POSTGRESDB_SSL_ENABLED") -}}
{{- if and (include "n8n-tuned.externalPostgresql" .) $tls.enabled $tls.rejectUnauthorized (not $files) (not $asksForTls) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "postgresql-tls-unsupported"
  "value" "externalPostgresql.tls.enabled=true"
  "why" (printf "n8n %s may ignore DB_POSTGRESDB_SSL_ENABLED and connect in plain text" (include "n8n-tuned.version" .))
  "do" "Set externalPostgresql.tls.existingSecret to a Secret with the CA certificate, or set image.tag to 1.18.0 or newer") }}
{{- end }}
{{- if and $tls.enabled (not $tls.rejectUnauthorized) $tls.existingSecret $tls.caKey (not $tls.certKey) $asksForTls }}
{{ include "n8n-tuned.refusal" (dict
  "code" "postgresql-ca-ignored"
  "value" "externalPostgresql.tls.rejectUnauthorized=false"
  "why" (printf "any certificate is then accepted, and the CA in %s has no effect" $tls.existingSecret)
  "do" "Remove it, or remove externalPostgresql.tls.existingSecret") }}
{{- end }}
{{- if and $tls.existingSecret (not $files) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "postgresql-tls-without-keys"
  "value" (printf "externalPostgresql.tls.existingSecret=%s" $tls.existingSecret)
  "why" "caKey, certKey and keyKey are empty, so n8n reads nothing from this Secret"
  "do" "Set externalPostgresql.tls.caKey, or both certKey and keyKey") }}
{{- end }}
{{- if ne (empty $tls.certKey) (empty $tls.keyKey) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "postgresql-tls-half-certificate"
  "value" (printf "externalPostgresql.tls.%s" (ternary "certKey" "keyKey" (empty $tls.certKey)))
  "why" "it is empty, and a client certificate needs both certKey and keyKey"
  "do" "Set both, or none") }}
{{- end }}
{{- if and (not $tls.existingSecret) (or $tls.certKey $tls.keyKey) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "postgresql-tls-without-secret"
  "value" "externalPostgresql.tls.existingSecret"
  "why" "it is empty, and certKey and keyKey name keys of that Secret"
  "do" "Set it to the Secret that holds the client certificate") }}
{{- end }}
{{- end -}}
