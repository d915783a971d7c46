{{/* One pod for any n8n component, and what all pods of the chart share. */}}

{{/* Pod template (metadata and spec) of main, worker or webhook. Takes (list root component). */}}
{{- define "n8n-tuned.pod" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
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
      {{- if not (include "n8n-tuned.atLeast" (list $root "1.27.0")) }}
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
      startupProbe: {{ include "n8n-tuned.probe" (list "/healthz" $root.Values.probes.startup) | nindent 8 }}
      livenessProbe: {{ include "n8n-tuned.probe" (list "/healthz" $root.Values.probes.liveness) | nindent 8 }}
      readinessProbe: {{ include "n8n-tuned.probe" (list (include "n8n-tuned.readinessPath" $root) $root.Values.probes.readiness) | nindent 8 }}
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
{{- $root := index . 0 -}}
{{ include "n8n-tuned.packages.initContainers" $root | trim }}
{{ include "n8n-tuned.loadTargets.initContainers" . | trim }}
{{- with (index $root.Values (index . 1)).extraInitContainers }}
{{ toYaml . }}
{{- end }}
{{- if and (include "n8n-tuned.hasRunnerSidecar" .) (include "n8n-tuned.nativeSidecars" $root) }}
{{ include "n8n-tuned.runnerContainer" . }}
{{- end }}
{{- end -}}

{{/* What the n8n container mounts. Takes (list root component). */}}
{{- define "n8n-tuned.podVolumeMounts" -}}
{{- $root := index . 0 -}}
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
{{- with (index $root.Values (index . 1)).extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* An n8n pod's volumes beside `data`. Takes (list root component). */}}
{{- define "n8n-tuned.podVolumes" -}}
{{- $root := index . 0 -}}
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
{{- with (index $root.Values (index . 1)).extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* HTTP probe. Takes (list path timing). */}}
{{- define "n8n-tuned.probe" -}}
httpGet:
  path: {{ index . 0 }}
  port: http
{{ toYaml (index . 1) }}
{{- end -}}

{{/* Takes the user id. */}}
{{- define "n8n-tuned.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: {{ int . }}
runAsGroup: {{ int . }}
fsGroup: {{ int . }}
# Else each start changes the owner of every file of the volume.
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "n8n-tuned.containerSecurityContext" -}}
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "n8n-tuned.readOnlyContainer" -}}
{{ include "n8n-tuned.containerSecurityContext" . }}
readOnlyRootFilesystem: true
{{- end -}}

{{/* A Service in front of one component, as its `service` values say where it has any. Takes (list root component port portName). */}}
{{- define "n8n-tuned.service" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := get (index $root.Values $component) "service" | default dict -}}
{{- $affinity := get $values "sessionAffinity" | default (ternary "ClientIP" "" (and (eq $component "main") $root.Values.multiMain.enabled)) -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "n8n-tuned.componentName" (list $root $component) }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{ include "n8n-tuned.labels" (list $root $component) | nindent 4 }}
  {{- with $values.annotations }}
  annotations: {{ toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: {{ $values.type | default "ClusterIP" }}
  {{- with $affinity }}
  sessionAffinity: {{ . }}
  {{- end }}
  selector: {{ include "n8n-tuned.selectorLabels" (list $root $component) | nindent 4 }}
  ports:
    - name: {{ index . 3 }}
      port: {{ index . 2 }}
      targetPort: {{ index . 3 }}
      {{- with $values.nodePort }}
      nodePort: {{ int . }}
      {{- end }}
{{- end -}}

{{/* Spec of a claim. Takes its values (size, storageClass). */}}
{{- define "n8n-tuned.claimSpec" -}}
accessModes: [ReadWriteOnce]
{{- with .storageClass }}
storageClassName: {{ . }}
{{- end }}
resources:
  requests:
    storage: {{ .size }}
{{- end -}}
