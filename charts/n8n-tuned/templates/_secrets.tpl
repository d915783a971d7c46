{{/* Which Secret and key holds which secret value: the user's own, or the one that the Job makes in the cluster. */}}

{{- define "n8n-tuned.generatedSecretName" -}}
{{- include "n8n-tuned.componentName" (list . "generated") -}}
{{- end -}}

{{- define "n8n-tuned.encryptionKeyRef" -}}
{{- $own := .Values.encryptionKey -}}
name: {{ $own.existingSecret | default (include "n8n-tuned.generatedSecretName" .) }}
key: {{ ternary $own.existingSecretKey "encryption-key" (ne $own.existingSecret "") }}
{{- end -}}

{{- define "n8n-tuned.postgresqlPasswordRef" -}}
{{- $own := ternary .Values.postgresql .Values.externalPostgresql (eq (include "n8n-tuned.embedsPostgresql" .) "true") -}}
name: {{ $own.existingSecret | default (include "n8n-tuned.generatedSecretName" .) }}
key: {{ ternary $own.existingSecretKey "postgresql-password" (ne $own.existingSecret "") }}
{{- end -}}

{{- define "n8n-tuned.redisPasswordRef" -}}
{{- $own := ternary .Values.redis .Values.externalRedis (eq (include "n8n-tuned.embedsRedis" .) "true") -}}
name: {{ $own.existingSecret | default (include "n8n-tuned.generatedSecretName" .) }}
key: {{ ternary $own.existingSecretKey "redis-password" (ne $own.existingSecret "") }}
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
