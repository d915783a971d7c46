{{/* One pod for any n8n component, and what all pods of the chart share. */}}

{{/* Pod template (metadata and spec) of main, worker or webhook. Takes (list root component). */}}
{{- define "n8n-tuned.pod" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index $root.Values $component -}}
metadata:
  labels: {{ include "n8n-tuned.podLabels" . | nindent 4 }}
spec:
  automountServiceAccountToken: false
  # A Service named n8n would inject N8N_PORT=tcp://..., which n8n reads as its port.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ include "n8n-tuned.graceSeconds" $root }}
  securityContext: {{ include "n8n-tuned.podSecurityContext" 1000 | nindent 4 }}
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
        {{- with $root.Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - name: http
          containerPort: 5678
      startupProbe: {{ include "n8n-tuned.probe" (list "/healthz" $root.Values.probes.startup) | nindent 8 }}
      livenessProbe: {{ include "n8n-tuned.probe" (list "/healthz" $root.Values.probes.liveness) | nindent 8 }}
      readinessProbe: {{ include "n8n-tuned.probe" (list (include "n8n-tuned.readinessPath" $root) $root.Values.probes.readiness) | nindent 8 }}
      resources: {{ toYaml $values.resources | nindent 8 }}
      securityContext: {{ include "n8n-tuned.containerSecurityContext" $root | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /home/node/.n8n
  volumes:
    - name: data
      {{- if and (eq $component "main") $values.persistence.enabled }}
      persistentVolumeClaim:
        claimName: {{ $values.persistence.existingClaim | default (include "n8n-tuned.componentName" .) }}
      {{- else }}
      emptyDir: {}
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
