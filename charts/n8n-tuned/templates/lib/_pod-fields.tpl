{{/* Takes the user id. */}}
{{- define "n8n-tuned.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: {{ int . }}
runAsGroup: {{ int . }}
fsGroup: {{ int . }}
# Else each start changes the owner of every file of the volume.
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "n8n-tuned.containerSecurityContext" -}}
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "n8n-tuned.readOnlyContainer" -}}
{{ include "n8n-tuned.containerSecurityContext" . }}
readOnlyRootFilesystem: true
{{- end -}}

{{/* Field of any pod's spec with the Secrets for pulling images, or nothing. Takes the root. */}}
{{- define "n8n-tuned.imagePullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Name of the n8n pods' service account. Takes the root. */}}
{{- define "n8n-tuned.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (ternary (include "n8n-tuned.fullname" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}
