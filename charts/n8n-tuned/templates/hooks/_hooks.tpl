{{/* The hooks that n8n and Node load (hooks/ of the repository, built into files/hooks). All templates take (dict "context" "component"). */}}

{{/*
Whether a component's pod has the hooks that n8n loads: "true" or "". Not workers of n8n 0.x, whose executions are kept elsewhere.
*/}}
{{- define "n8n-tuned.hasHooks" -}}
{{- $isOld := not (include "n8n-tuned.atLeast" (dict "context" .context "version" "1.0.0")) -}}
{{- if not (and $isOld (eq .component "worker")) -}}true{{- end -}}
{{- end -}}

{{/*
The variables of EXTERNAL_HOOK_FILES, as list items: the chart's file, and the user's behind it, which n8n loads too (read: 0.221.2,
1.123.81, 2.41.1). A value from a Secret or ConfigMap is put in by Kubernetes.
*/}}
{{- define "n8n-tuned.hooks.files" -}}
{{- $given := dict -}}
{{- $separator := ":" -}}
{{- $isRead := include "n8n-tuned.atLeast" (dict "context" .context "version" "2.0.0") -}}
{{- range include "n8n-tuned.extraEnv" (dict "context" .context "components" (list .component)) | fromJsonArray -}}
{{- if eq .name "EXTERNAL_HOOK_FILES" -}}{{- $given = . -}}{{- end -}}
{{- if and $isRead (eq .name "EXTERNAL_HOOK_FILES_SEPARATOR") .value -}}{{- $separator = .value -}}{{- end -}}
{{- end -}}
{{- $files := list "/opt/n8n-tuned/hooks.js" -}}
{{- if $given.valueFrom -}}
{{- $files = append $files "$(N8N_TUNED_OTHER_HOOK_FILES)" }}
- name: N8N_TUNED_OTHER_HOOK_FILES
  valueFrom: {{- toYaml $given.valueFrom | nindent 4 }}
{{- else if $given.value -}}
{{- $files = append $files $given.value -}}
{{- end }}
- name: EXTERNAL_HOOK_FILES
  value: {{ join $separator $files | quote }}
{{- end -}}

{{/* Whether n8n retries to write the end of an execution: "true" or "". n8n 0.x keeps executions elsewhere. Takes the context. */}}
{{- define "n8n-tuned.savesAgain" -}}
{{- if and (int .Values.executions.recovery.saveAgainSeconds) (include "n8n-tuned.atLeast" (dict "context" . "version" "1.0.0")) -}}true{{- end -}}
{{- end -}}

{{/* Whether isolates build their table of characters only on use (hooks/accelerators/lazy-character-table): "true" or "". */}}
{{- define "n8n-tuned.hooks.lazyIsolates" -}}
{{- $values := .context.Values -}}
{{- if and $values.heap.enabled $values.expressionEngine.lazyCharacterTable (eq (include "n8n-tuned.expressionEngine" .context) "vm") -}}
true
{{- end -}}
{{- end -}}

{{/* Whether isolates compile their code from a full cache (hooks/accelerators/full-code-cache): "true" or "". */}}
{{- define "n8n-tuned.hooks.codeCache" -}}
{{- $engine := .context.Values.expressionEngine -}}
{{- $caches := and .context.Values.heap.enabled $engine.compileCache $engine.fullCodeCache -}}
{{- if and $caches (eq (include "n8n-tuned.expressionEngine" .context) "vm") -}}true{{- end -}}
{{- end -}}

{{/* Whether the verbose mode of SQLite is off (hooks/accelerators/quiet-sqlite): "true" or "". */}}
{{- define "n8n-tuned.hooks.quietSqlite" -}}
{{- $values := .context.Values -}}
{{- if and $values.heap.enabled (eq $values.database.type "sqlite") (not $values.database.sqliteVerbose) -}}true{{- end -}}
{{- end -}}

{{/* Node's options that load files before n8n, each after a space. "" without such files, and where the chart sets no NODE_OPTIONS. */}}
{{- define "n8n-tuned.hooks.preload" -}}
{{- if include "n8n-tuned.hooks.lazyIsolates" . }} --require=/opt/n8n-tuned/lazy-character-table.js{{ end -}}
{{- if include "n8n-tuned.hooks.codeCache" . }} --require=/opt/n8n-tuned/full-code-cache.js{{ end -}}
{{- if include "n8n-tuned.hooks.quietSqlite" . }} --require=/opt/n8n-tuned/quiet-sqlite.js{{ end -}}
{{- end -}}

{{/* Whether a component's pod mounts files/hooks: "true" or "". */}}
{{- define "n8n-tuned.hooks.mounted" -}}
{{- if or (include "n8n-tuned.hasHooks" .) (include "n8n-tuned.hooks.preload" .) -}}true{{- end -}}
{{- end -}}

{{/*
Path on which the hooks answer readiness once n8n has routes (hooks/admission/wait-for-routes), or "": workers have none, and n8n 2.13 waits
for them itself. Below 1.58 no path reports whether the migrations have ended, which must come first: until then n8n answers 200 on all paths.
*/}}
{{- define "n8n-tuned.hooks.readinessPath" -}}
{{- $waits := include "n8n-tuned.atLeast" (dict "context" .context "version" "2.13.0") -}}
{{- if and .context.Values.probes.waitForRoutes (include "n8n-tuned.hasHooks" .) (ne .component "worker") (not $waits) -}}
{{- if include "n8n-tuned.atLeast" (dict "context" .context "version" "1.58.0") -}}
{{- /* n8n serves the editor's page on other paths. */ -}}
/healthz/routes
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Variables that switch hooks on, by their names: of a component, as JSON. */}}
{{- define "n8n-tuned.hooks.switches" -}}
{{- $values := .context.Values -}}
{{- $admits := ne .component "worker" -}}
{{- $isQueue := eq $values.executions.mode "queue" -}}
{{- $recovery := $values.executions.recovery -}}
{{- $isNew := include "n8n-tuned.atLeast" (dict "context" .context "version" "1.0.0") -}}
{{- dict
  "N8N_TUNED_COLLECT_IN_TIME" $values.heap.collectInTime
  "N8N_TUNED_DRAIN_CONNECTIONS" (and $admits $values.gracefulShutdown.drainConnections)
  "N8N_TUNED_FIND_LOST_QUEUE" (and (eq .component "main") $isQueue $isNew $recovery.findLostQueue)
  "N8N_TUNED_IGNORE_UPGRADES" (and $admits $values.requests.ignoreUpgrades)
  "N8N_TUNED_KEEP_INPUT" (and $admits $isQueue $isNew $recovery.keepInput)
  "N8N_TUNED_PRIVATE_METRICS" (and $admits $values.metrics.enabled (not $values.metrics.public))
  "N8N_TUNED_REFUSE_LITERAL_PARAMETERS" (and $admits $values.requests.refuseLiteralParameters)
  "N8N_TUNED_REFUSE_WHILE_STARTING" (and (include "n8n-tuned.admits" .) $values.overload.refuseWhileStarting)
  | toJson -}}
{{- end -}}

{{/* Environment variables of the n8n container, as list items, or "". */}}
{{- define "n8n-tuned.hooks.env" -}}
{{- if include "n8n-tuned.hasHooks" . -}}
{{- include "n8n-tuned.hooks.files" . | trim }}
{{- range $name, $isOn := include "n8n-tuned.hooks.switches" . | fromJson }}
{{- if $isOn }}
- name: {{ $name }}
  value: "true"
{{- end }}
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
{{- $hooks := (.context.Files.Glob "files/hooks/*.js").AsConfig -}}
{{- $digest := print $hooks (.context.Files.Get "files/load-targets/load-targets.js") | sha256sum | trunc 16 -}}
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
