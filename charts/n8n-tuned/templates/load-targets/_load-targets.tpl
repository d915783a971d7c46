{{/* What the workflows in the chart are called by, as JSON: name -> id. Those that are not called but run by themselves are left out. */}}
{{- define "n8n-tuned.loadTargets.ids" -}}
{{- $ids := dict -}}
{{- range $path, $_ := .Files.Glob "files/workflows/*.json" -}}
{{- $_ := set $ids (base $path | trimSuffix ".json") ($.Files.Get $path | fromJson).id -}}
{{- end -}}
{{- $ids | toJson -}}
{{- end -}}

{{/* What prepare.js and hook.js both must know, as JSON. The credential's id stands in the workflows too. */}}
{{- define "n8n-tuned.loadTargets.facts" -}}
{{- $credential := dict "id" "2000000000000001" "name" "n8n-tuned load target" "type" "httpHeaderAuth" "header" "x-load-target-token" -}}
{{- dict "prefix" "n8n-tuned: " "credential" $credential "ids" (values (include "n8n-tuned.loadTargets.ids" . | fromJson) | sortAlpha) | toJson -}}
{{- end -}}

{{- define "n8n-tuned.loadTargets.tokenRef" -}}
{{- $own := .Values.loadTargets -}}
name: {{ $own.existingSecret | default (include "n8n-tuned.generatedSecretName" .) }}
key: {{ ternary $own.existingSecretKey "load-target-token" (ne $own.existingSecret "") }}
{{- end -}}

{{/* What the init container reads, as JSON: file name -> text. */}}
{{- define "n8n-tuned.loadTargets.source" -}}
{{- $files := dict
  "prepare.js" (.Files.Get "files/load-targets/prepare.js")
  "n8n-nodes-tuned.json" (.Files.Get "files/n8n-nodes-tuned.json")
  "load-targets.json" (include "n8n-tuned.loadTargets.facts" .) -}}
{{- range .Values.loadTargets.workflows -}}
{{- $_ := set $files (printf "%s.json" .) ($.Files.Get (printf "files/workflows/%s.json" .)) -}}
{{- end -}}
{{- $files | toJson -}}
{{- end -}}

{{/* Environment of an n8n container. Takes (list root component). */}}
{{- define "n8n-tuned.loadTargets.env" -}}
{{- $root := .context -}}
{{- $values := $root.Values.loadTargets -}}
{{- $env := list -}}
{{- if and $values.enabled (eq .component "main") -}}
{{- $all := include "n8n-tuned.loadTargets.ids" $root | fromJson -}}
{{- $ids := list -}}
{{- range $values.workflows -}}{{- $ids = append $ids (get $all .) -}}{{- end -}}
{{- $env = append $env (dict "name" "LOAD_TARGETS" "value" (join "," $ids)) -}}
{{- end -}}
{{- if $values.enabled -}}
{{- range $name, $variable := dict "maxSeconds" "SECONDS" "maxMegabytes" "MEGABYTES" "maxPayloadMegabytes" "PAYLOAD_MEGABYTES" "maxDiskMegabytes" "DISK_MEGABYTES" "maxRequests" "REQUESTS" -}}
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

{{/* Volumes of an n8n pod. Takes (list root component). */}}
{{- define "n8n-tuned.loadTargets.volumes" -}}
{{- $root := .context -}}
{{- if $root.Values.loadTargets.enabled }}
- name: load-targets
  configMap:
    name: {{ include "n8n-tuned.componentName" (dict "context" $root "component" "load-targets") }}
- name: load-targets-node
  emptyDir:
    sizeLimit: 16Mi
{{- end }}
{{- if eq .component "main" }}
# Deletes the load targets when they are off again; not there in a release that never had them.
- name: load-targets-hook
  configMap:
    name: {{ include "n8n-tuned.componentName" (dict "context" $root "component" "load-targets-hook") }}
    optional: true
{{- end }}
{{- end -}}

{{/* Mounts of an n8n container. Takes (list root component). */}}
{{- define "n8n-tuned.loadTargets.volumeMounts" -}}
{{- $root := .context -}}
{{- if $root.Values.loadTargets.enabled }}
- name: load-targets-node
  mountPath: /opt/load-targets/node
  readOnly: true
{{- end }}
{{- if eq .component "main" }}
- name: load-targets-hook
  mountPath: /opt/load-targets/hook
  readOnly: true
{{- end }}
{{- end -}}

{{/*
Init containers of an n8n pod, as items of a list, or nothing. On main with n8n's whole environment and mounts, since
n8n's command line needs the same database, key and certificates. Takes (list root component).
*/}}
{{- define "n8n-tuned.loadTargets.initContainers" -}}
{{- $root := .context -}}
{{- $main := eq .component "main" -}}
{{- $values := $root.Values.loadTargets -}}
{{- if $values.enabled -}}
{{- $target := "/opt/load-targets/node" -}}
{{- $env := list (dict "name" "N8N_USER_FOLDER" "value" "/home/node") -}}
{{- if $main -}}
{{- $env = concat (include "n8n-tuned.sharedEnv" $root | fromYamlArray) (include "n8n-tuned.componentEnv" . | fromYamlArray) $root.Values.extraEnv $root.Values.main.extraEnv -}}
{{- end -}}
{{- $mounts := list -}}
{{- range include "n8n-tuned.podVolumeMounts" . | fromYamlArray -}}
{{- if not (hasPrefix "/opt/load-targets" .mountPath) -}}{{- $mounts = append $mounts . -}}{{- end -}}
{{- end -}}
- name: load-targets
  image: {{ include "n8n-tuned.image" $root | quote }}
  imagePullPolicy: {{ $root.Values.image.pullPolicy }}
  command: [node, /opt/load-targets/source/prepare.js]
  env:
    {{- toYaml $env | nindent 4 }}
    - name: SOURCE
      value: /opt/load-targets/source
    - name: TARGET
      value: {{ $target }}
    {{- if $main }}
    - name: IMPORT
      value: {{ join "," $values.workflows | quote }}
    - name: LOAD_TARGET_TOKEN
      valueFrom:
        secretKeyRef: {{ include "n8n-tuned.loadTargets.tokenRef" $root | nindent 10 }}
    {{- end }}
    # A pod with other load targets is another pod.
    - name: CONTENT
      value: {{ include "n8n-tuned.loadTargets.source" $root | sha256sum | trunc 16 | quote }}
  {{- with and $main $root.Values.main.extraEnvFrom }}
  envFrom: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- if $main }}
  resources: {{ toYaml $root.Values.main.resources | nindent 4 }}
  {{- else }}
  resources:
    requests:
      cpu: 50m
      memory: 64Mi
    limits:
      memory: 128Mi
  {{- end }}
  securityContext: {{ include "n8n-tuned.readOnlyContainer" $root | nindent 4 }}
  volumeMounts:
    {{- toYaml $mounts | nindent 4 }}
    - name: load-targets
      mountPath: /opt/load-targets/source
      readOnly: true
    - name: load-targets-node
      mountPath: {{ $target }}
{{- end -}}
{{- end -}}
