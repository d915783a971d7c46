{{/* The database: embedded or external PostgreSQL, or SQLite. */}}

{{/* Whether PostgreSQL is embedded: "true" or "". */}}
{{- define "n8n-tuned.embedsPostgresql" -}}
{{- if kindIs "bool" .Values.postgresql.enabled -}}
{{- if .Values.postgresql.enabled -}}true{{- end -}}
{{- else if and (eq .Values.database.type "postgresql") (not (include "n8n-tuned.externalPostgresql" .)) -}}true{{- end -}}
{{- end -}}

{{/* The value that gives the external PostgreSQL, as path=content; "" if none is given. */}}
{{- define "n8n-tuned.externalPostgresql" -}}
{{- with .Values.externalPostgresql -}}
{{- if .host -}}externalPostgresql.host={{ .host }}
{{- else if .existingSecretHostKey -}}externalPostgresql.existingSecretHostKey={{ .existingSecretHostKey }}
{{- else if .hostFile -}}externalPostgresql.hostFile={{ .hostFile }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Secret and key of the password, as fields of a secretKeyRef. */}}
{{- define "n8n-tuned.postgresqlPasswordRef" -}}
{{- $own := ternary .Values.postgresql .Values.externalPostgresql (eq (include "n8n-tuned.embedsPostgresql" .) "true") -}}
{{ include "n8n-tuned.secretRef" (dict "context" . "own" $own "key" "postgresql-password") }}
{{- end -}}

{{/* Environment variables of the database, as list items. */}}
{{- define "n8n-tuned.databaseEnv" -}}
{{- if eq .Values.database.type "postgresql" -}}
{{- $external := .Values.externalPostgresql -}}
{{- $embedded := include "n8n-tuned.embedsPostgresql" . -}}
{{- $connection := $external -}}
{{- if $embedded -}}
{{- $host := include "n8n-tuned.componentName" (dict "context" . "component" "postgresql") -}}
{{- $connection = dict "host" $host "port" 5432 "database" .Values.postgresql.database "user" .Values.postgresql.user -}}
{{- end -}}
- name: DB_TYPE
  value: postgresdb
- name: DB_POSTGRESDB_PORT
  value: {{ $connection.port | int | quote }}
{{- range $name, $key := dict "host" "existingSecretHostKey" "user" "existingSecretUserKey" "database" "existingSecretDatabaseKey" }}
{{- $file := get $connection (printf "%sFile" $name) }}
- name: DB_POSTGRESDB_{{ upper $name }}{{ if $file }}_FILE{{ end }}
{{- if $file }}
  value: {{ $file | quote }}
{{- else if get $connection $key }}
  valueFrom:
    secretKeyRef:
      name: {{ $external.existingSecret | quote }}
      key: {{ get $connection $key | quote }}
{{- else }}
  value: {{ get $connection $name | quote }}
{{- end }}
{{- end }}
{{ include "n8n-tuned.secretVariable" (dict
  "context" . "name" "DB_POSTGRESDB_PASSWORD" "file" (get $connection "passwordFile")
  "own" (ternary .Values.postgresql $external (eq $embedded "true")) "key" "postgresql-password") }}
- name: DB_POSTGRESDB_POOL_SIZE
  value: {{ include "n8n-tuned.poolSize" . | quote }}
{{- with include "n8n-tuned.postgresqlTlsEnv" . }}
{{ . }}
{{- end }}
{{- else -}}
- name: DB_TYPE
  value: sqlite
{{- end -}}
{{- end -}}

{{/* Size of each n8n process's connection pool. Below 1.18 it is always 10 (read: n8n PR 7772). */}}
{{- define "n8n-tuned.poolSize" -}}
{{- if include "n8n-tuned.atLeast" (dict "context" . "version" "1.18.0") -}}{{- .Values.database.poolSize -}}{{- else -}}10{{- end -}}
{{- end -}}

{{/*
The most connections that n8n may open to PostgreSQL, during a rolling update, as JSON: `mains`, `workers`, `webhooks` and
`surge` (more processes during the update) count processes; `pool` is the pool size of each, `sum` all connections. Of the
server: `max` (0: unknown), `reserved`, `room` = max - reserved, and `value`, the path of the value that sets `max`.
Pods that are ending are not counted: a Deployment replaces them before they have ended, but they take no new executions, and
give an idle connection back after 30 s (read: n8n's DB_POSTGRESDB_IDLE_CONNECTION_TIMEOUT). The notes tell how many they may keep.
*/}}
{{- define "n8n-tuned.connections" -}}
{{- $embedded := include "n8n-tuned.embedsPostgresql" . -}}
{{- $mains := include "n8n-tuned.maxReplicas" (dict "context" . "component" "main") | int -}}
{{- $workers := 0 -}}{{- $webhooks := 0 -}}
{{- $surge := 0 -}}
{{- if eq .Values.executions.mode "queue" -}}
{{- $workers = include "n8n-tuned.maxReplicas" (dict "context" . "component" "worker") | int -}}
{{- $webhooks = include "n8n-tuned.maxReplicas" (dict "context" . "component" "webhook") | int -}}
{{- if gt $webhooks 0 -}}{{- $surge = 1 -}}{{- end -}}
{{- end -}}
{{- $pool := include "n8n-tuned.poolSize" . | int -}}
{{- $sum := mul (add $mains $workers $webhooks $surge) $pool | int -}}
{{- $max := ternary .Values.postgresql .Values.externalPostgresql (eq $embedded "true") -}}
{{- $max = $max.maxConnections | default 0 | int -}}
{{- $reserved := ternary (int .Values.postgresql.reservedConnections) 0 (eq $embedded "true") -}}
{{- $value := ternary "postgresql.maxConnections" "externalPostgresql.maxConnections" (eq $embedded "true") -}}
{{- dict "mains" $mains "workers" $workers "webhooks" $webhooks "surge" $surge "pool" $pool "sum" $sum
  "max" $max "reserved" $reserved "room" (sub $max $reserved) "value" $value | toJson -}}
{{- end -}}

{{/* The sum of connections as text, with its terms. */}}
{{- define "n8n-tuned.connectionSum" -}}
{{- $c := include "n8n-tuned.connections" . | fromJson -}}
{{- $terms := list (printf "%d main" (int $c.mains)) -}}
{{- if $c.workers -}}{{- $terms = append $terms (printf "%d workers" (int $c.workers)) -}}{{- end -}}
{{- if $c.webhooks -}}{{- $terms = append $terms (printf "%d webhook processors" (int $c.webhooks)) -}}{{- end -}}
{{- if $c.surge -}}{{- $terms = append $terms (printf "%d more during a rolling update" (int $c.surge)) -}}{{- end -}}
{{- printf "(%s) × %d connections (database.poolSize) = %d" (join " + " $terms) (int $c.pool) (int $c.sum) -}}
{{- end -}}
