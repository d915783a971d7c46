{{- define "n8n-tuned.generatedSecretName" -}}
{{- include "n8n-tuned.componentName" (dict "context" . "component" "generated") -}}
{{- end -}}

{{- define "n8n-tuned.encryptionKeyRef" -}}
{{- $own := .Values.encryptionKey -}}
name: {{ $own.existingSecret | default (include "n8n-tuned.generatedSecretName" .) }}
key: {{ ternary $own.existingSecretKey "encryption-key" (ne $own.existingSecret "") }}
{{- end -}}

{{/* The keys that the Job must make, separated by commas; "" where every secret is the user's own. */}}
{{- define "n8n-tuned.generatedKeys" -}}
{{- $keys := list -}}
{{- if not .Values.encryptionKey.existingSecret -}}{{- $keys = append $keys "encryption-key" -}}{{- end -}}
{{- if and (include "n8n-tuned.embedsPostgresql" .) (not .Values.postgresql.existingSecret) -}}{{- $keys = append $keys "postgresql-password" -}}{{- end -}}
{{- if and (include "n8n-tuned.embedsRedis" .) (not .Values.redis.existingSecret) -}}{{- $keys = append $keys "redis-password" -}}{{- end -}}
{{- if and (include "n8n-tuned.hasRunnerSidecars" .) (not .Values.taskRunners.authToken.existingSecret) -}}{{- $keys = append $keys "runners-auth-token" -}}{{- end -}}
{{- if and .Values.loadTargets.enabled (not .Values.loadTargets.existingSecret) -}}{{- $keys = append $keys "load-target-token" -}}{{- end -}}
{{- join "," $keys -}}
{{- end -}}

{{/*
Which keys must not be made anew, as the data on a volume needs the old one, as JSON: by key the `claims` of those
volumes and the `remedy`. A claim of the user's own may be there before the release, so it says nothing.
*/}}
{{- define "n8n-tuned.secretClaims" -}}
{{- $secret := include "n8n-tuned.generatedSecretName" . -}}
{{- $keys := splitList "," (include "n8n-tuned.generatedKeys" .) -}}
{{- $main := list -}}
{{- with .Values.main.persistence -}}{{- if and .enabled (not .existingClaim) -}}{{- $main = list (include "n8n-tuned.componentName" (dict "context" $ "component" "main")) -}}{{- end -}}{{- end -}}
{{- $postgresql := list -}}
{{- if and (include "n8n-tuned.embedsPostgresql" .) .Values.postgresql.persistence.enabled -}}{{- $postgresql = list (printf "data-%s-0" (include "n8n-tuned.componentName" (dict "context" . "component" "postgresql"))) -}}{{- end -}}
{{- $claims := dict -}}
{{- if and (has "encryption-key" $keys) (not .Values.encryptionKey.acceptNewKey) -}}
{{- $remedy := printf "Its credentials can be read with the old key alone. Put that back (`kubectl --namespace %s create secret generic %s --from-literal=encryption-key=KEY`), from your copy or from the file .n8n/config on main's volume. Where there is nothing to read, delete the claim, or set encryptionKey.acceptNewKey=true." .Release.Namespace $secret -}}
{{- with concat $main $postgresql -}}{{- $claims = set $claims "encryption-key" (dict "claims" . "remedy" $remedy) -}}{{- end -}}
{{- end -}}
{{- if has "postgresql-password" $keys -}}
{{- $remedy := printf "The database on it knows the old password alone. Put that back under postgresql-password in the Secret %s, or delete the claim with all its data." $secret -}}
{{- with $postgresql -}}{{- $claims = set $claims "postgresql-password" (dict "claims" . "remedy" $remedy) -}}{{- end -}}
{{- end -}}
{{- toJson $claims -}}
{{- end -}}
