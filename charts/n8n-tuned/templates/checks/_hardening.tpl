{{/* Refuses variables that allow what hardening.enabled forbids. */}}

{{- define "n8n-tuned.check.hardening" -}}
{{- if .Values.hardening.enabled }}
{{- range include "n8n-tuned.extraEnv" (dict "context" . "components" (list "main" "worker" "webhook")) | fromJsonArray }}
{{- if eq .name "NODES_EXCLUDE" }}{{ include "n8n-tuned.check.excludedNodes" (dict "context" $ "variable" .) }}{{ end }}
{{- $value := get . "value" | toString }}
{{- /* As n8n reads a boolean: without quotes and spaces, in either case (read: @n8n/config 2.41.1). */}}
{{- $isOn := has (lower $value | trimAll "\"' ") (list "true" "1") }}
{{- $isUnseen := or (hasKey . "valueFrom") (hasSuffix "_FILE" .name) }}
{{- if and $isUnseen (has (trimSuffix "_FILE" .name) (include "n8n-tuned.hardening.variables" $ | fromJsonArray)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "unseen-against-hardening"
  "value" (printf "extraEnv %s" .name)
  "why" "it may allow what hardening.enabled=true forbids, and its value is not in the values"
  "do" (printf "Set %s as a value, or set hardening.enabled=false" (trimSuffix "_FILE" .name))) }}
{{- end }}
{{- /* The largest private networks are 10.0.0.0/8 and fc00::/7. */}}
{{- if and (eq .name "N8N_SSRF_ALLOWED_IP_RANGES") (regexMatch "/0*[0-6] *(,|$)|\\.[0-9]+/0*7 *(,|$)" $value) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "addresses-against-hardening"
  "value" (printf "extraEnv %s=%s" .name $value)
  "why" "it allows more addresses than any private network has, and hardening.enabled=true forbids those of private networks"
  "do" "Name the ranges that workflows need, or set hardening.enabled=false") }}
{{- end }}
{{- /* The list replaces n8n's own (read: @n8n/config 2.41.1, ssrf-protection.config.js). */}}
{{- if and (eq .name "N8N_SSRF_BLOCKED_IP_RANGES") (not $isUnseen) (not (regexMatch "(?i)(^|,) *default *(,|$)" $value)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "addresses-against-hardening"
  "value" (printf "extraEnv %s=%s" .name $value)
  "why" "the list replaces n8n's, so that private networks are open, and hardening.enabled=true forbids those"
  "do" (printf "Write default,%s, or set hardening.enabled=false" $value)) }}
{{- end }}
{{- if and (has .name (list "N8N_GIT_NODE_ENABLE_HOOKS" "N8N_GIT_NODE_ENABLE_ALL_CONFIG_KEYS")) $isOn }}
{{ include "n8n-tuned.refusal" (dict
  "code" "git-against-hardening"
  "value" (printf "extraEnv %s=%s" .name $value)
  "why" "a repository could then start programs in n8n's container, and hardening.enabled=true forbids that"
  "do" "Remove it, or set hardening.enabled=false") }}
{{- end }}
{{- if and (eq .name "N8N_RUNNERS_INSECURE_MODE") (ne $.Values.taskRunners.mode "external") $isOn }}
{{ include "n8n-tuned.refusal" (dict
  "code" "runners-against-hardening"
  "value" (printf "extraEnv N8N_RUNNERS_INSECURE_MODE=%v" .value)
  "why" "code may then change the objects of its runner, and hardening.enabled=true forbids that"
  "do" "Remove it, or set hardening.enabled=false, or taskRunners.mode=external, where code runs in a container of its own") }}
{{- end }}
{{- end }}
{{- if ne .Values.taskRunners.mode "external" }}{{ include "n8n-tuned.check.hardenedModules" . }}{{ end }}
{{- $unsafe := include "n8n-tuned.hardening.unsafeNodes" . | fromJson }}
{{- range .Values.hardening.allowedNodes }}
{{- if not (hasKey $unsafe .) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "allowed-node-not-excluded"
  "value" (printf "hardening.allowedNodes %s" .)
  "why" (printf "n8n %s with these values has no node of this type that hardening.enabled=true excludes, so it has no effect"
    (include "n8n-tuned.version" $))
  "do" (printf "Remove it. Excluded are %s" (keys $unsafe | sortAlpha | join ", "))) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Names of the variables that these checks read, as a JSON array. NODES_EXCLUDE is refused where it lacks a node. */}}
{{- define "n8n-tuned.hardening.variables" -}}
{{- $names := list "N8N_SSRF_ALLOWED_IP_RANGES" "N8N_SSRF_BLOCKED_IP_RANGES" "N8N_GIT_NODE_ENABLE_HOOKS"
  "N8N_GIT_NODE_ENABLE_ALL_CONFIG_KEYS" -}}
{{- if ne .Values.taskRunners.mode "external" -}}{{- $names = append $names "N8N_RUNNERS_INSECURE_MODE" -}}{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{/*
A list of excluded nodes of the values, which replaces that of the chart: it must be JSON, as n8n takes any other text for an empty list
(read: n8n 0.221.2 and @n8n/config 2.41.1), and contain all of it. Takes (dict "context" "variable").
*/}}
{{- define "n8n-tuned.check.excludedNodes" -}}
{{- $text := get .variable "value" | toString -}}
{{- $given := ternary ($text | fromJsonArray) list (regexMatch "(?s)^\\s*\\[.*\\]\\s*$" $text) -}}
{{- $missing := list -}}
{{- range include "n8n-tuned.hardening.excludedNodes" .context | fromJsonArray -}}
{{- if not (has . $given) -}}{{- $missing = append $missing . -}}{{- end -}}
{{- end -}}
{{- if $missing }}
{{ include "n8n-tuned.refusal" (dict
  "code" "nodes-against-hardening"
  "value" (printf "extraEnv NODES_EXCLUDE%s" (ternary (printf "=%s" $text) "" (hasKey .variable "value")))
  "why" "the list replaces that of hardening.enabled=true, and lacks nodes that run code or programs in n8n's container or read its files"
  "do" (printf "Add %s, or name those that workflows may use in hardening.allowedNodes" (join ", " $missing))) }}
{{- end }}
{{- end -}}

{{/*
Modules with which code in n8n's container does what hardening.enabled forbids: it reads n8n's files, starts programs, or calls
addresses of private networks. All npm modules that n8n has are among them. Takes the root context.
*/}}
{{- define "n8n-tuned.check.hardenedModules" -}}
{{- $files := list "child_process" "cluster" "fs" "fs/promises" "inspector" "inspector/promises" "module" "process" "repl" "sqlite"
  "v8" "vm" "wasi" "worker_threads" -}}
{{- $network := list "dgram" "http" "http2" "https" "net" "tls" -}}
{{- $given := dict "codeNodes.builtin" .Values.codeNodes.builtin -}}
{{- range include "n8n-tuned.extraEnv" (dict "context" . "components" (list "main" "worker")) | fromJsonArray -}}
{{- if hasPrefix "NODE_FUNCTION_ALLOW_" .name -}}
{{- $_ := set $given (printf "extraEnv %s" .name) (splitList "," (get . "value" | toString)) -}}
{{- end -}}
{{- end -}}
{{- range $path, $names := $given }}
{{- $isExternal := hasSuffix "_EXTERNAL" $path }}
{{- range $names }}
{{- $name := trim . | trimPrefix "node:" }}
{{- $does := ternary "calls addresses of private networks" "reads n8n's files" (has $name $network) }}
{{- if or (eq $name "*") (and (not $isExternal) (has $name (concat $files $network))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "module-against-hardening"
  "value" (printf "%s %s" $path $name)
  "why" (printf "code that imports it %s, and hardening.enabled=true forbids that" $does)
  "do" "Remove it, or set hardening.enabled=false, or taskRunners.mode=external, where code runs in a container of its own") }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
