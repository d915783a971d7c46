{{/*
Load targets in n8n's pods. If they are on, an init container unpacks the community node and, on main, imports the workflows;
an external hook of n8n activates them (hooks/hooks.js calls it). If they are off, the hook deletes them where it finds the
names that the import gave them. So this needs neither a lookup in the cluster nor a second value, and also works after a rollback.
*/}}

{{/* Ids of the workflows that can be called, by their names, as JSON. */}}
{{- define "n8n-tuned.loadTargets.ids" -}}
{{- $ids := dict -}}
{{- range $path, $_ := .Files.Glob "files/workflows/*.json" -}}
{{- $_ := set $ids (base $path | trimSuffix ".json") ($.Files.Get $path | fromJson).id -}}
{{- end -}}
{{- $ids | toJson -}}
{{- end -}}

{{/* Workflows that a workload starts, by its name, as JSON. */}}
{{- define "n8n-tuned.loadTargets.subWorkflows" -}}
{{- $started := dict -}}
{{- range $name, $workload := .Files.Get "files/loadtests/workloads.json" | fromJson -}}
{{- with $workload.subWorkflows -}}{{- $_ := set $started $name . -}}{{- end -}}
{{- end -}}
{{- $started | toJson -}}
{{- end -}}

{{/* Names of the workflows to import, as a JSON list: those of the values, after those that they start. */}}
{{- define "n8n-tuned.loadTargets.names" -}}
{{- $started := include "n8n-tuned.loadTargets.subWorkflows" . | fromJson -}}
{{- $names := list -}}
{{- range .Values.loadTargets.workflows -}}{{- $names = concat $names (get $started . | default list) -}}{{- end -}}
{{- concat $names .Values.loadTargets.workflows | uniq | toJson -}}
{{- end -}}

{{/* Folder of the workflows in the newest node versions that this n8n knows (capacity: provision/load-targets.ts). */}}
{{- define "n8n-tuned.loadTargets.folder" -}}
files/workflows{{ if not (include "n8n-tuned.atLeast" (dict "context" . "version" "1.113.0")) }}/before-1.113{{ end }}
{{- end -}}

{{/* Facts that prepare.js and load-targets.js share, as JSON. The workflows contain the id of the credential too. */}}
{{- define "n8n-tuned.loadTargets.facts" -}}
{{- $ids := values (include "n8n-tuned.loadTargets.ids" . | fromJson) | sortAlpha -}}
{{- $credential := dict
  "id" "2000000000000001" "name" "n8n-tuned load target" "type" "httpHeaderAuth" "header" "x-load-target-token" -}}
{{- $inactive := list -}}
{{- if not (include "n8n-tuned.atLeast" (dict "context" . "version" "2.0.0")) -}}
{{- $all := include "n8n-tuned.loadTargets.ids" . | fromJson -}}
{{- range $started := values (include "n8n-tuned.loadTargets.subWorkflows" . | fromJson) -}}
{{- range $started -}}{{- $inactive = append $inactive (get $all .) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "prefix" "n8n-tuned: " "credential" $credential "ids" $ids "inactive" $inactive | toJson -}}
{{- end -}}

{{/* Secret and key of the token that the webhooks ask for. */}}
{{- define "n8n-tuned.loadTargets.tokenRef" -}}
{{ include "n8n-tuned.secretRef" (dict "context" . "own" .Values.loadTargets "key" "load-target-token") }}
{{- end -}}

{{/* Files that the init container reads, as JSON: their texts by name. */}}
{{- define "n8n-tuned.loadTargets.source" -}}
{{- $files := dict
  "prepare.js" (.Files.Get "files/load-targets/prepare.js")
  "n8n-nodes-tuned.json" (.Files.Get "files/n8n-nodes-tuned.json")
  "load-targets.json" (include "n8n-tuned.loadTargets.facts" .) -}}
{{- $folder := include "n8n-tuned.loadTargets.folder" . -}}
{{- range include "n8n-tuned.loadTargets.names" . | fromJsonArray -}}
{{- $_ := set $files (printf "%s.json" .) ($.Files.Get (printf "%s/%s.json" $folder .)) -}}
{{- end -}}
{{- $files | toJson -}}
{{- end -}}

{{/* Environment variables of an n8n container, as list items, or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.loadTargets.env" -}}
{{- $context := .context -}}
{{- $values := $context.Values.loadTargets -}}
{{- $env := list -}}
{{- if eq .component "main" -}}
{{- $all := include "n8n-tuned.loadTargets.ids" $context | fromJson -}}
{{- $ids := list -}}
{{- if $values.enabled -}}
{{- range include "n8n-tuned.loadTargets.names" $context | fromJsonArray -}}{{- $ids = append $ids (get $all .) -}}{{- end -}}
{{- end -}}
{{- $env = append $env (dict "name" "LOAD_TARGETS" "value" (join "," $ids)) -}}
{{- end -}}
{{- if $values.enabled -}}
{{- range $name, $variable := dict
  "maxSeconds" "SECONDS"
  "maxMegabytes" "MEGABYTES"
  "maxPayloadMegabytes" "PAYLOAD_MEGABYTES"
  "maxDiskMegabytes" "DISK_MEGABYTES"
  "maxRequests" "REQUESTS" -}}
{{- with get $values.ceilings $name -}}
{{- $env = append $env (dict "name" (printf "N8N_LOAD_TARGET_MAX_%s" $variable) "value" (toString .)) -}}
{{- end -}}
{{- end -}}
{{- with $values.ceilings.allowedHosts -}}
{{- $env = append $env (dict "name" "N8N_LOAD_TARGET_ALLOWED_HOSTS" "value" (join "," .)) -}}
{{- end -}}
{{- end -}}
{{- if $env -}}{{- toYaml $env -}}{{- end -}}
{{- end -}}

{{/* Volumes of an n8n pod, as list items, or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.loadTargets.volumes" -}}
{{- $context := .context -}}
{{- if $context.Values.loadTargets.enabled }}
- name: load-targets
  configMap:
    name: {{ include "n8n-tuned.componentName" (dict "context" $context "component" "load-targets") | quote }}
- name: load-targets-node
  emptyDir:
    sizeLimit: 16Mi
{{- end }}
{{- end -}}

{{/* Volume mounts of an n8n container, as list items, or "". Takes (dict "context"). */}}
{{- define "n8n-tuned.loadTargets.volumeMounts" -}}
{{- if .context.Values.loadTargets.enabled }}
- name: load-targets-node
  mountPath: /opt/load-targets/node
  readOnly: true
{{- end }}
{{- end -}}

{{/*
The init container of an n8n pod, as a list item, or "". On main it has n8n's whole environment and mounts, since n8n's
command line needs the same database, key and certificates. Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.loadTargets.initContainers" -}}
{{- $context := .context -}}
{{- $main := eq .component "main" -}}
{{- if $context.Values.loadTargets.enabled -}}
{{- $target := "/opt/load-targets/node" -}}
{{- $env := list (dict "name" "N8N_USER_FOLDER" "value" "/home/node") -}}
{{- if $main -}}
{{- $env = concat (include "n8n-tuned.sharedEnv" $context | fromYamlArray) (include "n8n-tuned.componentEnv" . | fromYamlArray)
  (include "n8n-tuned.extraEnv" (dict "context" $context "components" (list "main")) | fromJsonArray) -}}
{{- end -}}
{{- $mounts := list -}}
{{- $extra := (index $context.Values .component).extraVolumeMounts | default list -}}
{{- range concat (include "n8n-tuned.podVolumeMounts" . | fromYamlArray) $extra -}}
{{- if not (hasPrefix "/opt/load-targets" .mountPath) -}}{{- $mounts = append $mounts . -}}{{- end -}}
{{- end -}}
- name: load-targets
  image: {{ include "n8n-tuned.image" $context | quote }}
  imagePullPolicy: {{ $context.Values.image.pullPolicy }}
  command: [node, /opt/load-targets/source/prepare.js]
  env:
    {{- toYaml $env | nindent 4 }}
    - name: SOURCE
      value: /opt/load-targets/source
    - name: TARGET
      value: {{ $target }}
    {{- if $main }}
    - name: IMPORT
      value: {{ include "n8n-tuned.loadTargets.names" $context | fromJsonArray | join "," | quote }}
    - name: LOAD_TARGET_TOKEN
      valueFrom:
        secretKeyRef: {{- include "n8n-tuned.loadTargets.tokenRef" $context | nindent 10 }}
    {{- end }}
    # Changes the pod, and so restarts it, when the load targets change.
    - name: CONTENT
      value: {{ include "n8n-tuned.loadTargets.source" $context | sha256sum | trunc 16 | quote }}
  {{- with and $main $context.Values.main.extraEnvFrom }}
  envFrom: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if $main }}
  resources: {{- toYaml $context.Values.main.resources | nindent 4 }}
  {{- else }}
  resources:
    requests:
      cpu: 50m
      memory: 64Mi
    limits:
      cpu: 500m
      memory: 128Mi
  {{- end }}
  securityContext: {{- include "n8n-tuned.readOnlyContainer" $context | nindent 4 }}
  volumeMounts:
    {{- toYaml $mounts | nindent 4 }}
    - name: load-targets
      mountPath: /opt/load-targets/source
      readOnly: true
    - name: load-targets-node
      mountPath: {{ $target }}
{{- end -}}
{{- end -}}
