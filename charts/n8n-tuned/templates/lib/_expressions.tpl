{{/* vm or legacy, as this version and the values have it. */}}
{{- define "n8n-tuned.expressionEngine" -}}
{{- $sets := (index (include "n8n-tuned.envTable" . | fromYaml) "N8N_EXPRESSION_ENGINE").sets -}}
{{- if semverCompare $sets (include "n8n-tuned.version" .) -}}{{- .Values.expressionEngine.type -}}{{- else -}}legacy{{- end -}}
{{- end -}}

{{/* Executions that a process runs at once; "" where nothing limits them, or it runs none. Takes (list root component). */}}
{{- define "n8n-tuned.concurrency" -}}
{{- $values := .context.Values -}}
{{- if eq .component "worker" -}}
{{- int $values.worker.concurrency -}}
{{- else if and (eq .component "main") (eq $values.executions.mode "regular") (not (kindIs "invalid" $values.executions.concurrencyLimit)) -}}
{{- int $values.executions.concurrencyLimit -}}
{{- end -}}
{{- end -}}

{{/* Isolates that a process keeps ready; "" where it has none or n8n's own number (1). Takes (list root component). */}}
{{- define "n8n-tuned.expressionPool" -}}
{{- $root := .context -}}
{{- $executes := or (eq .component "worker") (and (eq .component "main") (eq $root.Values.executions.mode "regular")) -}}
{{- if and $executes (eq (include "n8n-tuned.expressionEngine" $root) "vm") -}}
{{- $root.Values.expressionEngine.poolSize | default (min 20 (include "n8n-tuned.concurrency" . | default 5 | int)) | int -}}
{{- end -}}
{{- end -}}

{{/* The settings of the engine. Takes (list root component). */}}
{{- define "n8n-tuned.expressionEnv" -}}
{{- $root := .context -}}
{{- $values := $root.Values.expressionEngine -}}
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
