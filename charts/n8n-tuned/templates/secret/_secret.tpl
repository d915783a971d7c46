{{/* Where secret values are: in a Secret that the user names, or in the one that a Job generates in the cluster. */}}

{{/* Name of the generated Secret. */}}
{{- define "n8n-tuned.generatedSecretName" -}}
{{- include "n8n-tuned.componentName" (dict "context" . "component" "generated") -}}
{{- end -}}

{{/*
Secret and key of a secret value, as fields of a secretKeyRef. Takes (dict "context" "own" "key"): `own` holds the values
`existingSecret` and `existingSecretKey`, `key` is the key in the generated Secret.
*/}}
{{- define "n8n-tuned.secretRef" -}}
name: {{ .own.existingSecret | default (include "n8n-tuned.generatedSecretName" .context) | quote }}
key: {{ ternary .own.existingSecretKey .key (not (empty .own.existingSecret)) | quote }}
{{- end -}}

{{/*
A variable with a secret, as a list item: from the file that the values name, which n8n reads, or from a Secret. Takes (dict
"context" "name" "file" "own" "key"): `file` may be empty; the others as for n8n-tuned.secretRef.
*/}}
{{- define "n8n-tuned.secretVariable" -}}
{{- if .file -}}
- name: {{ .name }}_FILE
  value: {{ .file | quote }}
{{- else -}}
- name: {{ .name | quote }}
  valueFrom:
    secretKeyRef: {{- include "n8n-tuned.secretRef" . | nindent 6 }}
{{- end -}}
{{- end -}}

{{/* The keys that the Job generates, separated by commas; "" if the user names a Secret for every value. */}}
{{- define "n8n-tuned.generatedKeys" -}}
{{- $values := .Values -}}
{{- $keys := list -}}
{{- if not (or $values.encryptionKey.existingSecret $values.encryptionKey.file) -}}
{{- $keys = append $keys "encryption-key" -}}
{{- end -}}
{{- if and (include "n8n-tuned.embedsPostgresql" .) (not $values.postgresql.existingSecret) -}}
{{- $keys = append $keys "postgresql-password" -}}
{{- end -}}
{{- if and (include "n8n-tuned.embedsRedis" .) (not $values.redis.existingSecret) -}}
{{- $keys = append $keys "redis-password" -}}
{{- end -}}
{{- if and (include "n8n-tuned.hasRunnerSidecars" .) (not $values.taskRunners.authToken.existingSecret) -}}
{{- $keys = append $keys "runners-auth-token" -}}
{{- end -}}
{{- if and $values.loadTargets.enabled (not $values.loadTargets.existingSecret) -}}
{{- $keys = append $keys "load-target-token" -}}
{{- end -}}
{{- join "," $keys -}}
{{- end -}}

{{/*
Keys that the Job must not generate again while data that needs the old key exists, as JSON: for each key the `claims` of the
volumes with that data, and the `remedy` to print. A claim of the user's is not listed: it may be older than the release.
*/}}
{{- define "n8n-tuned.secretClaims" -}}
{{- $secret := include "n8n-tuned.generatedSecretName" . -}}
{{- $keys := splitList "," (include "n8n-tuned.generatedKeys" .) -}}
{{- $main := list -}}
{{- with .Values.main.persistence -}}
{{- if and .enabled (not .existingClaim) -}}
{{- $main = list (include "n8n-tuned.componentName" (dict "context" $ "component" "main")) -}}
{{- end -}}
{{- end -}}
{{- $postgresql := list -}}
{{- if and (include "n8n-tuned.embedsPostgresql" .) .Values.postgresql.persistence.enabled -}}
{{- $postgresql = list (printf "data-%s-0" (include "n8n-tuned.componentName" (dict "context" . "component" "postgresql"))) -}}
{{- end -}}
{{- $claims := dict -}}
{{- if and (has "encryption-key" $keys) (not .Values.encryptionKey.acceptNewKey) -}}
{{- $create := printf "kubectl --namespace %s create secret generic %s --from-literal=encryption-key=KEY" .Release.Namespace $secret -}}
{{- $remedy := join " " (list
  "Only the old key can decrypt its credentials."
  (printf "Restore the key with `%s`, from your copy or from the file .n8n/config on main's volume." $create)
  "If there are no credentials to keep, delete the claim, or set encryptionKey.acceptNewKey=true.") -}}
{{- with concat $main $postgresql -}}{{- $claims = set $claims "encryption-key" (dict "claims" . "remedy" $remedy) -}}{{- end -}}
{{- end -}}
{{- if has "postgresql-password" $keys -}}
{{- $remedy := join " " (list
  "Its database accepts only the old password."
  (printf "Restore it under postgresql-password in the Secret %s, or delete the claim with all its data." $secret)) -}}
{{- with $postgresql -}}{{- $claims = set $claims "postgresql-password" (dict "claims" . "remedy" $remedy) -}}{{- end -}}
{{- end -}}
{{- toJson $claims -}}
{{- end -}}
