{{/* The pod of an n8n component. */}}

{{/* Pod template (metadata and spec) of main, worker or webhook. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.pod" -}}
{{- $context := .context -}}
{{- $component := .component -}}
{{- $values := index $context.Values $component -}}
metadata:
  labels: {{- include "n8n-tuned.podLabels" (dict "context" $context "component" $component "labels" $values.podLabels) | nindent 4 }}
  {{- with merge dict ($values.podAnnotations | default dict) (include "n8n-tuned.hooks.annotations" . | fromJson) }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "n8n-tuned.serviceAccountName" $context | quote }}
  automountServiceAccountToken: false
  # A Service named n8n would set N8N_PORT=tcp://..., which n8n reads as its port.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ include "n8n-tuned.graceSeconds" . }}
  {{- with include "n8n-tuned.imagePullSecrets" $context }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with include "n8n-tuned.clusterFields" $context }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with include "n8n-tuned.scheduling" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  securityContext: {{- include "n8n-tuned.podSecurityContext" (dict "context" $context "user" 1000) | nindent 4 }}
  {{- with include "n8n-tuned.podInitContainers" . }}
  initContainers: {{- . | nindent 4 }}
  {{- end }}
  containers: {{- include "n8n-tuned.n8nContainer" . | nindent 4 }}
    {{- if and (include "n8n-tuned.hasRunnerSidecar" .) (not (include "n8n-tuned.nativeSidecars" $context)) }}
    {{- include "n8n-tuned.runnerContainer" . | nindent 4 }}
    {{- end }}
    {{- with $values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    {{- include "n8n-tuned.podVolumes" . | nindent 4 }}
    {{- with $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* The n8n container, as a list item. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.n8nContainer" -}}
{{- $context := .context -}}
{{- $values := index $context.Values .component -}}
{{- $probes := $context.Values.probes -}}
{{- $readiness := include "n8n-tuned.readinessPath" $context -}}
{{- $routes := include "n8n-tuned.hooks.readinessPath" . -}}
- name: n8n
  image: {{ include "n8n-tuned.image" $context | quote }}
  imagePullPolicy: {{ $context.Values.image.pullPolicy }}
  {{- if not (include "n8n-tuned.atLeast" (dict "context" $context "version" "1.27.0")) }}
  # The entrypoint of old images changes the user with su-exec, which an unprivileged pod must not.
  command: [tini, --, n8n]
  {{- end }}
  {{- if eq .component "worker" }}
  args: [worker, --concurrency={{ int $values.concurrency }}]
  {{- else if eq .component "webhook" }}
  args: [webhook]
  {{- end }}
  env:
    {{- include "n8n-tuned.sharedEnv" $context | nindent 4 }}
    {{- include "n8n-tuned.componentEnv" . | nindent 4 }}
    {{- with include "n8n-tuned.hooks.env" . }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with include "n8n-tuned.loadTargets.env" . }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- range include "n8n-tuned.extraEnv" (dict "context" $context "components" (list .component)) | fromJsonArray }}
    {{- if not (and (eq .name "EXTERNAL_HOOK_FILES") (include "n8n-tuned.hasHooks" $)) }}
    {{- list . | toYaml | nindent 4 }}
    {{- end }}
    {{- end }}
  {{- with $values.extraEnvFrom }}
  envFrom: {{- toYaml . | nindent 4 }}
  {{- end }}
  ports:
    - name: http
      containerPort: 5678
  startupProbe: {{- include "n8n-tuned.probe" (dict "path" (ternary $readiness "/healthz" (ne $routes "")) "timing" $probes.startup) | nindent 4 }}
  livenessProbe: {{- include "n8n-tuned.probe" (dict "path" "/healthz" "timing" $probes.liveness) | nindent 4 }}
  readinessProbe: {{- include "n8n-tuned.probe" (dict "path" ($routes | default $readiness) "timing" $probes.readiness) | nindent 4 }}
  {{- with include "n8n-tuned.lifecycle" . }}
  {{- . | nindent 2 }}
  {{- end }}
  resources: {{- toYaml $values.resources | nindent 4 }}
  securityContext: {{- include "n8n-tuned.readOnlyContainer" $context | nindent 4 }}
  volumeMounts:
    {{- include "n8n-tuned.podVolumeMounts" . | nindent 4 }}
    {{- with $values.extraVolumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* An HTTP probe of n8n. Takes (dict "path" "timing"). */}}
{{- define "n8n-tuned.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
{{ toYaml .timing }}
{{- end -}}

{{/*
Init containers of an n8n pod in the order in which they run, as list items, or "". They fill the volume `nodes` (n8n's
folder of community nodes, see n8n-tuned.fillsNodes) before n8n and a native sidecar start. npm goes first, since it removes
packages that it did not install. Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.podInitContainers" -}}
{{- $items := list
  (include "n8n-tuned.packages.initContainers" . | trim)
  (include "n8n-tuned.loadTargets.initContainers" . | trim) -}}
{{- with (index .context.Values .component).extraInitContainers -}}{{- $items = append $items (toYaml .) -}}{{- end -}}
{{- if and (include "n8n-tuned.hasRunnerSidecar" .) (include "n8n-tuned.nativeSidecars" .context) -}}
{{- $items = append $items (include "n8n-tuned.runnerContainer" .) -}}
{{- end -}}
{{- join "\n" (without $items "") -}}
{{- end -}}

{{/* The chart's volume mounts of the n8n container, as list items. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.podVolumeMounts" -}}
{{- $items := list
  (include "n8n-tuned.ownVolumeMounts" . | trim)
  (include "n8n-tuned.certificatesMount" .context | trim)
  (include "n8n-tuned.postgresqlTlsMount" .context | trim)
  (include "n8n-tuned.hooks.volumeMounts" . | trim)
  (include "n8n-tuned.loadTargets.volumeMounts" . | trim) -}}
{{- join "\n" (without $items "") -}}
{{- end -}}

{{/*
Mounts of the folders to which n8n writes: its own folder, /tmp and the cache (read and run: 0.221.2, 1.123.81, 2.41.1),
npm's folder, for community nodes that are installed in the editor, and the folder of files for nodes. Takes (dict "context"
"component").
*/}}
{{- define "n8n-tuned.ownVolumeMounts" -}}
- name: data
  mountPath: /home/node/.n8n
{{- if include "n8n-tuned.fillsNodes" .context }}
- name: nodes
  mountPath: {{ include "n8n-tuned.nodesFolder" .context }}
{{- end }}
{{- if include "n8n-tuned.hasModules" . }}
- name: modules
  mountPath: {{ include "n8n-tuned.modulesFolder" .context }}
  readOnly: true
{{- end }}
- name: temporary
  mountPath: /tmp
  subPath: tmp
- name: temporary
  mountPath: /home/node/.cache
  subPath: cache
- name: temporary
  mountPath: /home/node/.npm
  subPath: npm
{{- if not (include "n8n-tuned.mountsFiles" .) }}
- name: temporary
  mountPath: {{ include "n8n-tuned.filesFolder" . }}
  subPath: files
{{- end }}
{{- end -}}

{{/*
The folder in which nodes read and write files (~/.n8n-files; read: N8N_RESTRICT_FILE_ACCESS_TO, n8n 2.0 and newer).
*/}}
{{- define "n8n-tuned.filesFolder" -}}/home/node/.n8n-files{{- end -}}

{{/* Whether the values mount a volume of their own there: "true" or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.mountsFiles" -}}
{{- $folder := include "n8n-tuned.filesFolder" . -}}
{{- range (index .context.Values .component).extraVolumeMounts -}}
{{- if eq (clean .mountPath) $folder -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{/* The chart's volumes of an n8n pod, as list items. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.podVolumes" -}}
{{- $persistence := (index .context.Values .component).persistence | default dict -}}
{{- $data := dict "name" "data" "emptyDir" dict -}}
{{- if $persistence.enabled -}}
{{- $claim := $persistence.existingClaim | default (include "n8n-tuned.componentName" .) -}}
{{- $data = dict "name" "data" "persistentVolumeClaim" (dict "claimName" $claim) -}}
{{- end -}}
{{- $sizeLimit := .context.Values.temporaryFiles.sizeLimit -}}
{{- $temporary := dict "name" "temporary" "emptyDir" (dict "sizeLimit" $sizeLimit) -}}
{{- $items := list
  (list $data $temporary | toYaml)
  (include "n8n-tuned.hooks.volumes" . | trim)
  (include "n8n-tuned.packages.volumes" . | trim)
  (include "n8n-tuned.runnerVolumes" . | trim)
  (include "n8n-tuned.certificatesVolume" .context | trim)
  (include "n8n-tuned.postgresqlTlsVolume" .context | trim)
  (include "n8n-tuned.loadTargets.volumes" . | trim) -}}
{{- join "\n" (without $items "") -}}
{{- end -}}

{{/* The policy that a StatefulSet has already, or the one of new ones. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.podManagementPolicy" -}}
{{- $set := lookup "apps/v1" "StatefulSet" .context.Release.Namespace (include "n8n-tuned.componentName" .) -}}
{{- dig "spec" "podManagementPolicy" "Parallel" ($set | default dict) -}}
{{- end -}}
