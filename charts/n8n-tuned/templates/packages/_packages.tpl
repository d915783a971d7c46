{{/* Whether the pods have a folder of nodes that is filled when they start: "true" or "". Takes the root. */}}
{{- define "n8n-tuned.fillsNodes" -}}
{{- if or .Values.communityPackages.install .Values.communityPackages.image.reference -}}true{{- end -}}
{{- end -}}

{{- define "n8n-tuned.nodesFolder" -}}
/home/node/.n8n/nodes
{{- end -}}

{{/* Init containers that install, as items of a list, or nothing. Takes the root. */}}
{{- define "n8n-tuned.packages.initContainers" -}}
{{- $values := .Values.communityPackages -}}
{{- $nodes := include "n8n-tuned.nodesFolder" . -}}
{{- if $values.install }}
- name: install-packages
  # Has npm, and is needed on the node anyway.
  image: {{ include "n8n-tuned.image" . | quote }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  command: [npm, install]
  args:
    - --prefix={{ $nodes }}
    # Their peer is n8n itself, which npm would install with them.
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
    {{- range $values.install }}
    - {{ . | quote }}
    {{- end }}
  env:
    - name: npm_config_cache
      value: /tmp/npm
    {{- if $values.npmrcSecret }}
    - name: npm_config_userconfig
      value: /npmrc/.npmrc
    {{- end }}
    {{- with include "n8n-tuned.certificatesEnv" . | trim }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- range .Values.extraEnv }}
    {{- if has (upper .name) (list "HTTP_PROXY" "HTTPS_PROXY" "NO_PROXY") }}
    {{- list . | toYaml | nindent 4 }}
    {{- end }}
    {{- end }}
  resources: {{ toYaml $values.resources | nindent 4 }}
  securityContext: {{ include "n8n-tuned.readOnlyContainer" . | nindent 4 }}
  volumeMounts:
    - name: nodes
      mountPath: {{ $nodes }}
    - name: temporary
      mountPath: /tmp
      subPath: tmp
    {{- with include "n8n-tuned.certificatesMount" . | trim }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- if $values.npmrcSecret }}
    - name: npmrc
      mountPath: /npmrc
      readOnly: true
    {{- end }}
{{- end }}
{{- with $values.image.reference }}
- name: copy-packages
  image: {{ . | quote }}
  imagePullPolicy: {{ $.Values.image.pullPolicy }}
  command: [sh, -c, 'mkdir -p "$TO" && cp -R "$FROM"/. "$TO"/']
  env:
    - name: FROM
      value: {{ $values.image.path | quote }}
    - name: TO
      value: {{ $nodes }}/node_modules
  resources: {{ toYaml $values.resources | nindent 4 }}
  securityContext: {{ include "n8n-tuned.readOnlyContainer" $ | nindent 4 }}
  volumeMounts:
    - name: nodes
      mountPath: {{ $nodes }}
{{- end }}
{{- end -}}

{{/* Volumes of those, as items of a list, or nothing. Takes the root. */}}
{{- define "n8n-tuned.packages.volumes" -}}
{{- if include "n8n-tuned.fillsNodes" . }}
- name: nodes
  emptyDir: {}
{{- end }}
{{- if and .Values.communityPackages.install .Values.communityPackages.npmrcSecret }}
- name: npmrc
  secret:
    secretName: {{ .Values.communityPackages.npmrcSecret }}
    items:
      - key: .npmrc
        path: .npmrc
{{- end }}
{{- end -}}

{{/* Environment of n8n for them. Takes the root. */}}
{{- define "n8n-tuned.packagesEnv" -}}
{{- if or (include "n8n-tuned.fillsNodes" .) .Values.loadTargets.enabled }}
- name: N8N_COMMUNITY_PACKAGES_ENABLED
  value: "true"
{{- end }}
{{- end -}}
