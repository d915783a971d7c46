{{/* Fields that the pods of several components share. */}}

{{/* Security context of a pod. Takes (dict "context" "user"), `user` as the user id of its image. */}}
{{- define "n8n-tuned.podSecurityContext" -}}
{{- $values := .context.Values.securityContext -}}
{{- /* Without the policy, every start changes the owner of every file on the volume. */ -}}
{{- $own := dict
  "runAsNonRoot" true "fsGroupChangePolicy" "OnRootMismatch" "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- if $values.setIds -}}
{{- range $id := list "runAsUser" "runAsGroup" "fsGroup" -}}{{- $_ := set $own $id (int $.user) -}}{{- end -}}
{{- end -}}
{{- include "n8n-tuned.replaced" (dict "own" $own "given" $values.pod) -}}
{{- end -}}

{{/* Security context of a container. Takes the root context. */}}
{{- define "n8n-tuned.containerSecurityContext" -}}
{{- $own := dict "allowPrivilegeEscalation" false "capabilities" (dict "drop" (list "ALL")) -}}
{{- include "n8n-tuned.replaced" (dict "own" $own "given" .Values.securityContext.container) -}}
{{- end -}}

{{/*
A map as YAML with the fields of another over its own, at every depth: false, 0 and "" count, and null removes a field. Takes (dict
"own" "given").
*/}}
{{- define "n8n-tuned.replaced" -}}
{{- $fields := .own -}}
{{- range $name, $value := .given | default dict -}}
{{- if kindIs "invalid" $value -}}
{{- $fields = omit $fields $name -}}
{{- else if and (kindIs "map" $value) (kindIs "map" (get $fields $name)) -}}
{{- $inner := dict "own" (get $fields $name) "given" $value -}}
{{- $_ := set $fields $name (include "n8n-tuned.replaced" $inner | fromYaml) -}}
{{- else -}}
{{- $_ := set $fields $name $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $fields -}}
{{- end -}}

{{/* Security context of a container whose root file system is read-only. Takes the root context. */}}
{{- define "n8n-tuned.readOnlyContainer" -}}
{{ include "n8n-tuned.containerSecurityContext" . }}
readOnlyRootFilesystem: true
{{- end -}}

{{/* The field of a pod's spec with the Secrets for pulling images, or "". Takes the root context. */}}
{{- define "n8n-tuned.imagePullSecrets" -}}
{{- with .Values.imagePullSecrets | default (dig "imagePullSecrets" list (.Values.global | default dict)) -}}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Fields of the spec of every n8n pod that the cluster or its network asks for, or "". Takes the root context. */}}
{{- define "n8n-tuned.clusterFields" -}}
{{- $fields := dict -}}
{{- range $field := list "hostAliases" "dnsConfig" "runtimeClassName" -}}
{{- with get $.Values $field -}}{{- $_ := set $fields $field . -}}{{- end -}}
{{- end -}}
{{- if $fields -}}{{- toYaml $fields -}}{{- end -}}
{{- end -}}

{{/* Name of the service account of the n8n pods. Takes the root context. */}}
{{- define "n8n-tuned.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (ternary (include "n8n-tuned.fullname" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}
