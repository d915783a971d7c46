{{/* Pod template (metadata and spec) of main, worker or webhook. Takes (list root component). */}}
{{- define "n8n-tuned.pod" -}}
{{- $root := .context -}}
{{- $component := .component -}}
{{- $values := index $root.Values $component -}}
metadata:
  labels: {{ include "n8n-tuned.podLabels" . | nindent 4 }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $values.podAnnotations }}
  annotations: {{ toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "n8n-tuned.serviceAccountName" $root }}
  automountServiceAccountToken: false
  # A Service named n8n would inject N8N_PORT=tcp://..., which n8n reads as its port.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ include "n8n-tuned.graceSeconds" . }}
  {{- with include "n8n-tuned.imagePullSecrets" $root | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with include "n8n-tuned.scheduling" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  securityContext: {{ include "n8n-tuned.podSecurityContext" 1000 | nindent 4 }}
  {{- with include "n8n-tuned.podInitContainers" . | trim }}
  initContainers: {{ . | nindent 4 }}
  {{- end }}
  containers:
    - name: n8n
      image: {{ include "n8n-tuned.image" $root | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      {{- if not (include "n8n-tuned.atLeast" (dict "context" $root "version" "1.27.0")) }}
      # The entrypoint of old images changes the user with su-exec, which a pod without privileges must not.
      command: [tini, --, n8n]
      {{- end }}
      {{- if eq $component "worker" }}
      args: [worker, --concurrency={{ int $values.concurrency }}]
      {{- else if eq $component "webhook" }}
      args: [webhook]
      {{- end }}
      env: {{- include "n8n-tuned.sharedEnv" $root | nindent 8 }}
        {{- include "n8n-tuned.componentEnv" . | nindent 8 }}
        {{- include "n8n-tuned.hooks.env" . | nindent 8 }}
        {{- with include "n8n-tuned.loadTargets.env" . }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- with concat $root.Values.extraEnv $values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $values.extraEnvFrom }}
      envFrom: {{ toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - name: http
          containerPort: 5678
      startupProbe: {{ include "n8n-tuned.probe" (dict "path" "/healthz" "timing" $root.Values.probes.startup) | nindent 8 }}
      livenessProbe: {{ include "n8n-tuned.probe" (dict "path" "/healthz" "timing" $root.Values.probes.liveness) | nindent 8 }}
      readinessProbe: {{ include "n8n-tuned.probe" (dict "path" (include "n8n-tuned.readinessPath" $root) "timing" $root.Values.probes.readiness) | nindent 8 }}
      {{- with include "n8n-tuned.lifecycle" . | trim }}
      {{- . | nindent 6 }}
      {{- end }}
      resources: {{ toYaml $values.resources | nindent 8 }}
      securityContext: {{ include "n8n-tuned.readOnlyContainer" $root | nindent 8 }}
      volumeMounts: {{ include "n8n-tuned.podVolumeMounts" . | trim | nindent 8 }}
    {{- if and (include "n8n-tuned.hasRunnerSidecar" .) (not (include "n8n-tuned.nativeSidecars" $root)) }}
    {{- include "n8n-tuned.runnerContainer" . | nindent 4 }}
    {{- end }}
    {{- with $values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    - name: data
      {{- if and (eq $component "main") $values.persistence.enabled }}
      persistentVolumeClaim:
        claimName: {{ $values.persistence.existingClaim | default (include "n8n-tuned.componentName" .) }}
      {{- else }}
      emptyDir: {}
      {{- end }}
    {{- include "n8n-tuned.podVolumes" . | trim | nindent 4 }}
{{- end -}}

{{/*
Init containers of an n8n pod in the order in which they run, as items of a list; all that fill the volume `nodes`
(n8n's folder of community nodes, there when n8n-tuned.fillsNodes) before n8n and a native sidecar start. npm goes first, since it
removes what it has not installed. Takes (list root component).
*/}}
{{- define "n8n-tuned.podInitContainers" -}}
{{- $root := .context -}}
{{ include "n8n-tuned.packages.initContainers" $root | trim }}
{{ include "n8n-tuned.loadTargets.initContainers" . | trim }}
{{- with (index $root.Values .component).extraInitContainers }}
{{ toYaml . }}
{{- end }}
{{- if and (include "n8n-tuned.hasRunnerSidecar" .) (include "n8n-tuned.nativeSidecars" $root) }}
{{ include "n8n-tuned.runnerContainer" . }}
{{- end }}
{{- end -}}

{{/* What the n8n container mounts. Takes (list root component). */}}
{{- define "n8n-tuned.podVolumeMounts" -}}
{{- $root := .context -}}
- name: data
  mountPath: /home/node/.n8n
{{- if include "n8n-tuned.fillsNodes" $root }}
- name: nodes
  mountPath: {{ include "n8n-tuned.nodesFolder" $root }}
{{- end }}
# n8n writes here, and into its own folder, alone (read and run: 0.221.2, 1.123.81, 2.41.1).
- name: temporary
  mountPath: /tmp
  subPath: tmp
- name: temporary
  mountPath: /home/node/.cache
  subPath: cache
# npm, when community nodes are installed in the editor.
- name: temporary
  mountPath: /home/node/.npm
  subPath: npm
{{ include "n8n-tuned.certificatesMount" $root | trim }}
{{ include "n8n-tuned.hooks.volumeMounts" . | trim }}
{{ include "n8n-tuned.loadTargets.volumeMounts" . | trim }}
{{- with (index $root.Values .component).extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* An n8n pod's volumes beside `data`. Takes (list root component). */}}
{{- define "n8n-tuned.podVolumes" -}}
{{- $root := .context -}}
- name: temporary
  emptyDir:
    sizeLimit: {{ $root.Values.temporaryFiles.sizeLimit }}
{{ include "n8n-tuned.hooks.volumes" . | trim }}
{{ include "n8n-tuned.packages.volumes" $root | trim }}
{{- if include "n8n-tuned.hasRunnerSidecar" . }}
- name: runner-tmp
  emptyDir:
    sizeLimit: {{ $root.Values.temporaryFiles.sizeLimit }}
{{- end }}
{{ include "n8n-tuned.certificatesVolume" $root | trim }}
{{ include "n8n-tuned.loadTargets.volumes" . | trim }}
{{- with (index $root.Values .component).extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* HTTP probe. Takes (list path timing). */}}
{{- define "n8n-tuned.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
{{ toYaml .timing }}
{{- end -}}
