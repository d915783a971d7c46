{{/* External hooks of n8n (files/hooks). All templates take (dict "context" "component"). */}}

{{/*
Whether a component's pod has the hooks: "true" or "". Not if the values set EXTERNAL_HOOK_FILES, of which n8n reads only one; and
not in workers of n8n 0.x, whose executions are kept elsewhere.
*/}}
{{- define "n8n-tuned.hasHooks" -}}
{{- $given := "" -}}
{{- range include "n8n-tuned.extraEnv" (dict "context" .context "components" (list .component)) | fromJsonArray -}}
{{- if eq .name "EXTERNAL_HOOK_FILES" -}}{{- $given = "true" -}}{{- end -}}
{{- end -}}
{{- $isOld := not (include "n8n-tuned.atLeast" (dict "context" .context "version" "1.0.0")) -}}
{{- if not (or $given (and $isOld (eq .component "worker"))) -}}true{{- end -}}
{{- end -}}

{{/* Whether the end of an execution is written again: "true" or "". n8n 0.x keeps executions elsewhere. Takes the context. */}}
{{- define "n8n-tuned.savesAgain" -}}
{{- if and (int .Values.executions.recovery.saveAgainSeconds) (include "n8n-tuned.atLeast" (dict "context" . "version" "1.0.0")) -}}true{{- end -}}
{{- end -}}

{{/* Whether isolates come without their table of characters (files/hooks/isolates.js): "true" or "". */}}
{{- define "n8n-tuned.hooks.lazyIsolates" -}}
{{- $values := .context.Values -}}
{{- if and $values.heap.enabled $values.expressionEngine.lazyCharacterTable (eq (include "n8n-tuned.expressionEngine" .context) "vm") -}}
true
{{- end -}}
{{- end -}}

{{/* Whether isolates compile their code from a full cache (files/hooks/code-cache.js): "true" or "". */}}
{{- define "n8n-tuned.hooks.codeCache" -}}
{{- $engine := .context.Values.expressionEngine -}}
{{- $caches := and .context.Values.heap.enabled $engine.compileCache $engine.fullCodeCache -}}
{{- if and $caches (eq (include "n8n-tuned.expressionEngine" .context) "vm") -}}true{{- end -}}
{{- end -}}

{{/* Whether SQLite takes no notes for stack traces (files/hooks/sqlite.js): "true" or "". */}}
{{- define "n8n-tuned.hooks.quietSqlite" -}}
{{- $values := .context.Values -}}
{{- if and $values.heap.enabled (eq $values.database.type "sqlite") (not $values.database.sqliteVerbose) -}}true{{- end -}}
{{- end -}}

{{/* Node's options that load files before n8n, each after a space. "" without such files, and where the chart sets no NODE_OPTIONS. */}}
{{- define "n8n-tuned.hooks.preload" -}}
{{- if include "n8n-tuned.hooks.lazyIsolates" . }} --require=/opt/n8n-tuned/isolates.js{{ end -}}
{{- if include "n8n-tuned.hooks.codeCache" . }} --require=/opt/n8n-tuned/code-cache.js{{ end -}}
{{- if include "n8n-tuned.hooks.quietSqlite" . }} --require=/opt/n8n-tuned/sqlite.js{{ end -}}
{{- end -}}

{{/* Whether a component's pod mounts files/hooks: "true" or "". */}}
{{- define "n8n-tuned.hooks.mounted" -}}
{{- if or (include "n8n-tuned.hasHooks" .) (include "n8n-tuned.hooks.preload" .) -}}true{{- end -}}
{{- end -}}

{{/*
Path on which the hooks answer readiness once n8n has routes (files/hooks/routes.js), or "": workers have none, and n8n 2.13 waits
for them itself. Below 1.58 no path tells that the migrations have ended, which must come first: until then n8n answers 200 on all.
*/}}
{{- define "n8n-tuned.hooks.readinessPath" -}}
{{- $waits := include "n8n-tuned.atLeast" (dict "context" .context "version" "2.13.0") -}}
{{- if and (include "n8n-tuned.hasHooks" .) (ne .component "worker") (not $waits) -}}
{{- if include "n8n-tuned.atLeast" (dict "context" .context "version" "1.58.0") -}}
{{- /* n8n serves the editor's page on other paths. */ -}}
/healthz/routes
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Environment variables of the n8n container, as list items, or "". */}}
{{- define "n8n-tuned.hooks.env" -}}
{{- if include "n8n-tuned.hasHooks" . -}}
- name: EXTERNAL_HOOK_FILES
  value: /opt/n8n-tuned/hooks.js
{{- if and .context.Values.metrics.enabled (not .context.Values.metrics.public) (ne .component "worker") }}
- name: N8N_TUNED_PRIVATE_METRICS
  value: "true"
{{- end }}
{{- if and (eq .context.Values.executions.mode "queue") .context.Values.executions.recovery.keepInput (ne .component "worker") }}
- name: N8N_TUNED_KEEP_INPUT
  value: "true"
{{- end }}
{{- if include "n8n-tuned.savesAgain" .context }}
- name: N8N_TUNED_SAVE_AGAIN_SECONDS
  value: {{ .context.Values.executions.recovery.saveAgainSeconds | int | quote }}
{{- end }}
{{- with include "n8n-tuned.hooks.readinessPath" . }}
- name: N8N_TUNED_READINESS_PATH
  value: {{ . }}
{{- end }}
{{- with include "n8n-tuned.overload.env" . }}
{{ . }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* Annotations of the pod, as JSON: they change the pod, and so restart it, when the hooks change. */}}
{{- define "n8n-tuned.hooks.annotations" -}}
{{- $annotations := dict -}}
{{- if include "n8n-tuned.hooks.mounted" . -}}
{{- $digest := (.context.Files.Glob "files/hooks/*.js").AsConfig | sha256sum | trunc 16 -}}
{{- $annotations = dict "checksum/hooks" $digest -}}
{{- end -}}
{{- toJson $annotations -}}
{{- end -}}

{{/* Volumes of the pod, as list items, or "". */}}
{{- define "n8n-tuned.hooks.volumes" -}}
{{- if include "n8n-tuned.hooks.mounted" . -}}
- name: hooks
  configMap:
    name: {{ include "n8n-tuned.componentName" (dict "context" .context "component" "hooks") | quote }}
{{- end -}}
{{- end -}}

{{/* Volume mounts of the n8n container, as list items, or "". */}}
{{- define "n8n-tuned.hooks.volumeMounts" -}}
{{- if include "n8n-tuned.hooks.mounted" . -}}
- name: hooks
  mountPath: /opt/n8n-tuned
  readOnly: true
{{- end -}}
{{- end -}}
