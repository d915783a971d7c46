{{/* Fields that the pods of several components share. */}}

{{/* Security context of a pod. Takes the user id. */}}
{{- define "n8n-tuned.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: {{ int . }}
runAsGroup: {{ int . }}
fsGroup: {{ int . }}
# Without this, every start changes the owner of every file on the volume.
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* Security context of a container. */}}
{{- define "n8n-tuned.containerSecurityContext" -}}
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Security context of a container whose root file system is read-only. */}}
{{- define "n8n-tuned.readOnlyContainer" -}}
{{ include "n8n-tuned.containerSecurityContext" . }}
readOnlyRootFilesystem: true
{{- end -}}

{{/* The field of a pod's spec with the Secrets for pulling images, or "". Takes the root context. */}}
{{- define "n8n-tuned.imagePullSecrets" -}}
{{- with .Values.imagePullSecrets -}}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Name of the service account of the n8n pods. Takes the root context. */}}
{{- define "n8n-tuned.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (ternary (include "n8n-tuned.fullname" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}
