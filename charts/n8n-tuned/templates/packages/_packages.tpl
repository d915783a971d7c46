{{/* Community nodes. n8n loads them from ~/.n8n/nodes when it starts, in each process from its own disk. */}}

{{/* Whether init containers fill the folder of community nodes: "true" or "". Takes the root context. */}}
{{- define "n8n-tuned.fillsNodes" -}}
{{- if or .Values.communityPackages.install .Values.communityPackages.image.reference -}}true{{- end -}}
{{- end -}}

{{/* n8n's folder of community nodes. */}}
{{- define "n8n-tuned.nodesFolder" -}}
/home/node/.n8n/nodes
{{- end -}}

{{/*
An init container that installs npm packages, as a list item. Takes (dict "context" "name" "volume" "folder" "packages"): the
volume is mounted at the folder.
*/}}
{{- define "n8n-tuned.npmInstall" -}}
{{- $values := .context.Values.communityPackages -}}
- name: {{ .name | quote }}
  # n8n's own image contains npm, and the cluster pulls it anyway.
  image: {{ include "n8n-tuned.image" .context | quote }}
  imagePullPolicy: {{ .context.Values.image.pullPolicy }}
  command: [npm, install]
  args:
    - --prefix={{ .folder }}
    # Without this npm would install n8n itself, the peer of community nodes.
    - --legacy-peer-deps
    - --omit=dev
    - --ignore-scripts
    - --no-bin-links
    - --no-audit
    - --no-fund
    - --no-package-lock
    - --no-update-notifier
    - --save-exact
    {{- with $values.registry }}
    - {{ printf "--registry=%s" . | quote }}
    {{- end }}
    {{- range .packages }}
    - {{ . | quote }}
    {{- end }}
  env:
    - name: npm_config_cache
      value: /tmp/npm
    {{- if $values.npmrcSecret }}
    - name: npm_config_userconfig
      value: /npmrc/.npmrc
    {{- end }}
    {{- with include "n8n-tuned.certificatesEnv" .context }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- range .context.Values.extraEnv }}
    {{- if has (upper .name) (list "HTTP_PROXY" "HTTPS_PROXY" "NO_PROXY") }}
    {{- list . | toYaml | nindent 4 }}
    {{- end }}
    {{- end }}
  resources: {{- toYaml $values.resources | nindent 4 }}
  securityContext: {{- include "n8n-tuned.readOnlyContainer" .context | nindent 4 }}
  volumeMounts:
    - name: {{ .volume | quote }}
      mountPath: {{ .folder }}
    - name: temporary
      mountPath: /tmp
      subPath: tmp
    {{- with include "n8n-tuned.certificatesMount" .context }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- if $values.npmrcSecret }}
    - name: npmrc
      mountPath: /npmrc
      readOnly: true
    {{- end }}
{{- end -}}

{{/* The init containers that fill it, as list items, or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.packages.initContainers" -}}
{{- $context := .context -}}
{{- $values := $context.Values.communityPackages -}}
{{- $nodes := include "n8n-tuned.nodesFolder" $context -}}
{{- with $values.install }}
{{ include "n8n-tuned.npmInstall" (dict
  "context" $context "name" "install-packages" "volume" "nodes" "folder" $nodes "packages" .) }}
{{- end }}
{{- with $values.image.reference }}
- name: copy-packages
  image: {{ . | quote }}
  imagePullPolicy: {{ $context.Values.image.pullPolicy }}
  command: [sh, -c, 'mkdir -p "$TO" && cp -R "$FROM"/. "$TO"/']
  env:
    - name: FROM
      value: {{ $values.image.path | quote }}
    - name: TO
      value: {{ $nodes }}/node_modules
  resources: {{- toYaml $values.resources | nindent 4 }}
  securityContext: {{- include "n8n-tuned.readOnlyContainer" $context | nindent 4 }}
  volumeMounts:
    - name: nodes
      mountPath: {{ $nodes }}
{{- end }}
{{- if include "n8n-tuned.hasModules" . }}
{{ include "n8n-tuned.npmInstall" (dict "context" $context "name" "install-modules"
  "volume" "modules" "folder" (include "n8n-tuned.modulesFolder" $context) "packages" $context.Values.codeNodes.modules) }}
{{- end }}
{{- end -}}

{{/* Volumes of these init containers, as list items, or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.packages.volumes" -}}
{{- $values := .context.Values.communityPackages -}}
{{- $modules := include "n8n-tuned.hasModules" . -}}
{{- if include "n8n-tuned.fillsNodes" .context -}}
- name: nodes
  emptyDir: {}
{{- end }}
{{- if $modules }}
- name: modules
  emptyDir: {}
{{- end }}
{{- if and (or $values.install $modules) $values.npmrcSecret }}
- name: npmrc
  secret:
    secretName: {{ $values.npmrcSecret | quote }}
    items:
      - key: .npmrc
        path: .npmrc
{{- end }}
{{- end -}}

{{/* Environment variables with which n8n loads community nodes, as list items, or "". Takes the root context. */}}
{{- define "n8n-tuned.packages.env" -}}
{{- if or (include "n8n-tuned.fillsNodes" .) .Values.loadTargets.enabled }}
- name: N8N_COMMUNITY_PACKAGES_ENABLED
  value: "true"
{{- end }}
{{- end -}}
