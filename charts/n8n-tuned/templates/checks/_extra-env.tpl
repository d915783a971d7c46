{{/* Refuses variables in extraEnv that the chart sets itself, that are given twice, or that hold a secret for everyone to read. */}}

{{- define "n8n-tuned.check.extraEnv" -}}
{{- $owned := include "n8n-tuned.ownedEnv" . | fromYaml -}}
{{- $free := list -}}
{{- if not .Values.heap.enabled -}}{{- $free = list "NODE_OPTIONS" "N8N_RUNNERS_MAX_OLD_SPACE_SIZE" -}}{{- end -}}
{{- if not .Values.caCertificates.existingSecret -}}{{- $free = append $free "NODE_EXTRA_CA_CERTS" -}}{{- end -}}
{{- if not .Values.hardening.enabled -}}
{{- $free = concat $free (list "N8N_BLOCK_ENV_ACCESS_IN_NODE" "N8N_BLOCK_FILE_ACCESS_TO_N8N_FILES"
  "N8N_RESTRICT_FILE_ACCESS_TO" "NODES_EXCLUDE" "N8N_SSRF_PROTECTION_ENABLED" "N8N_SSRF_ALLOWED_HOSTNAMES") -}}
{{- end -}}
{{- $shared := dict -}}
{{- range .Values.extraEnv -}}{{- $_ := set $shared .name true -}}{{- end -}}
{{- range $path, $variables := omit (include "n8n-tuned.extraEnvByPath" . | fromJson) "taskRunners.extraEnv" }}
{{- $seen := dict }}
{{- range $variables }}
{{- /* n8n reads NAME_FILE as the file that holds NAME. */}}
{{- $name := trimSuffix "_FILE" .name }}
{{- /* More nodes may be excluded, in all of n8n (check.hardening). */}}
{{- $excludes := and (eq .name "NODES_EXCLUDE") (eq $path "extraEnv") }}
{{- if and (hasKey $owned $name) (not (has $name $free)) (not $excludes) (not (hasKey $seen .name)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "variable-of-the-chart"
  "value" (printf "%s %s" $path .name)
  "why" "the chart controls this variable"
  "do" (index $owned $name)) }}
{{- end }}
{{- if hasKey $seen .name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "variable-twice"
  "value" (printf "%s %s" $path .name)
  "why" "it is given twice, and only the last one counts"
  "do" "Remove one of the two") }}
{{- else if and (ne $path "extraEnv") (hasKey $shared .name) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "variable-twice"
  "value" (printf "%s %s" $path .name)
  "why" "extraEnv sets it too, and only the last one counts"
  "do" "Remove one of the two") }}
{{- end }}
{{- $_ := set $seen .name true }}
{{- if not (hasKey $owned $name) }}{{ include "n8n-tuned.check.plainSecret" (dict "context" $ "path" $path "variable" .) }}{{ end }}
{{- end }}
{{- end }}
{{- range .Values.taskRunners.extraEnv }}
{{- include "n8n-tuned.check.plainSecret" (dict "context" $ "path" "taskRunners.extraEnv" "variable" .) }}
{{- end }}
{{- range $runner := dig "task-runners" list (.Values.taskRunners.config | default dict) }}
{{- range $name, $value := get $runner "env-overrides" | default dict }}
{{- include "n8n-tuned.check.plainSecret" (dict "context" $ "path" "taskRunners.config env-overrides" "variable" (dict "name" $name "value" $value)) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Whether the name of a variable says that it is a secret (files/secret-names.yaml): "true" or "". Takes (dict "context" "name"). */}}
{{- define "n8n-tuned.isSecretName" -}}
{{- $names := .context.Files.Get "files/secret-names.yaml" | fromYaml -}}
{{- $words := regexReplaceAll "([a-z0-9])([A-Z])" .name "${1}_${2}" -}}
{{- $words = regexReplaceAll "([A-Z])([A-Z][a-z])" $words "${1}_${2}" -}}
{{- $name := upper $words | replace "-" "_" | replace "." "_" -}}
{{- $more := "S?(_?[0-9]+)?$" -}}
{{- $isSecret := regexMatch (printf "((^|_)(%s)|(%s))%s" (join "|" $names.ends) (join "|" $names.suffixes) $more) $name -}}
{{- if and $isSecret (not (regexMatch (printf "(^|_)(%s)%s" (join "|" $names.except) $more) $name)) -}}true{{- end -}}
{{- end -}}

{{/*
A variable whose name says that it is a secret, or a URL with a password, as a plain value: in the Deployment and in Helm's record
everyone who may read these reads it. Takes (dict "context" "path" "variable").
*/}}
{{- define "n8n-tuned.check.plainSecret" -}}
{{- $value := get .variable "value" | default "" | toString -}}
{{- $isSecret := or (include "n8n-tuned.isSecretName" (dict "context" .context "name" .variable.name)) (regexMatch "://[^/@ ]*:[^/@ ]+@" $value) -}}
{{- /* $(NAME) is the value of another variable. */}}
{{- if and $value $isSecret (not (regexMatch "\\$\\([A-Za-z0-9_.-]+\\)" $value)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "secret-in-plain-text"
  "value" (printf "%s %s" .path .variable.name)
  "why" "its value would be visible in the pods' objects and in Helm's record, which more people may read than Secrets"
  "do" "Put it into a Secret, and refer to it: valueFrom.secretKeyRef with name and key") }}
{{- end }}
{{- end -}}
