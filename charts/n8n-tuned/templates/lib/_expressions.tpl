{{/* How n8n evaluates expressions. */}}

{{/* The engine: vm or legacy. n8n versions that cannot choose have legacy. */}}
{{- define "n8n-tuned.expressionEngine" -}}
{{- $sets := (index (include "n8n-tuned.envTable" . | fromYaml) "N8N_EXPRESSION_ENGINE").sets -}}
{{- if semverCompare $sets (include "n8n-tuned.version" .) -}}{{- .Values.expressionEngine.type -}}{{- else -}}legacy{{- end -}}
{{- end -}}

{{/*
Executions that a process runs at once; "" if nothing limits them or the process runs none. Takes (dict "context"
"component").
*/}}
{{- define "n8n-tuned.concurrency" -}}
{{- $executions := .context.Values.executions -}}
{{- if eq .component "worker" -}}
{{- int .context.Values.worker.concurrency -}}
{{- else if and (eq .component "main") (eq $executions.mode "regular") (not (kindIs "invalid" $executions.concurrencyLimit)) -}}
{{- int $executions.concurrencyLimit -}}
{{- end -}}
{{- end -}}

{{/*
Isolates that a process keeps ready; "" if it runs no executions or its engine has no isolates. Takes (dict "context"
"component").
*/}}
{{- define "n8n-tuned.expressionPool" -}}
{{- $context := .context -}}
{{- $executes := or (eq .component "worker") (and (eq .component "main") (eq $context.Values.executions.mode "regular")) -}}
{{- if and $executes (eq (include "n8n-tuned.expressionEngine" $context) "vm") -}}
{{- $context.Values.expressionEngine.poolSize | default (min 20 (include "n8n-tuned.concurrency" . | default 5 | int)) | int -}}
{{- end -}}
{{- end -}}

{{/* Environment variables of the engine. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.expressionEnv" -}}
{{- $values := .context.Values.expressionEngine -}}
- name: N8N_EXPRESSION_ENGINE
  value: {{ $values.type }}
{{- if eq $values.type "vm" }}
{{- with include "n8n-tuned.expressionPool" . }}
- name: N8N_EXPRESSION_ENGINE_POOL_SIZE
  value: {{ . | quote }}
{{- end }}
- name: N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE
  value: {{ $values.lazyAcquire | quote }}
- name: N8N_EXPRESSION_ENGINE_COMPILE_CACHE
  value: {{ $values.compileCache | quote }}
{{- end }}
{{- end -}}
