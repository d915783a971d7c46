{{/* The Job that generates Secrets, and the hook that it shares with its rights. */}}

{{/*
Annotations of the Job and its rights: Helm creates them before install and upgrade, in the order of the weight, and deletes
them after success, so that nothing that may create Secrets remains. `kubectl apply` treats them as plain objects. Takes the
weight.
*/}}
{{- define "n8n-tuned.secretHook" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{/* Name of the Job. It ends in a digest of the specification: a Job cannot be changed, so a new one needs a new name. */}}
{{- define "n8n-tuned.makeSecretJob" -}}
{{- $digest := include "n8n-tuned.makeSecretSpec" . | sha256sum | trunc 8 -}}
{{- printf "%s-%s" (include "n8n-tuned.componentName" (dict "context" . "component" "make-secret")) $digest -}}
{{- end -}}

{{/* Specification of the Job. */}}
{{- define "n8n-tuned.makeSecretSpec" -}}
{{- $labels := merge (dict
  "app.kubernetes.io/name" (default .Chart.Name .Values.nameOverride)
  "app.kubernetes.io/part-of" "n8n-tuned"
  "n8n-tuned.io/release" .Release.Name) (.Values.commonLabels | default dict) -}}
{{- $outsideMesh := dict "sidecar.istio.io/inject" "false" -}}
backoffLimit: 3
# Allows time to pull the image.
activeDeadlineSeconds: 900
ttlSecondsAfterFinished: 3600
# make-secret.js exits with 3 on errors that a retry cannot fix.
podFailurePolicy:
  rules:
    - action: FailJob
      onExitCodes:
        containerName: make-secret
        operator: In
        values: [3]
template:
  metadata:
    # The proxy of a service mesh would run on, and the Job would never end.
    annotations: { linkerd.io/inject: disabled }
    labels: {{- include "n8n-tuned.podLabels" (dict "context" . "component" "make-secret" "labels" $outsideMesh) | nindent 6 }}
  spec:
    restartPolicy: Never
    serviceAccountName: {{ include "n8n-tuned.componentName" (dict "context" . "component" "make-secret") | quote }}
    # The only pod with a token.
    automountServiceAccountToken: true
    enableServiceLinks: false
    {{- with include "n8n-tuned.imagePullSecrets" . }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with include "n8n-tuned.placement" (dict "context" . "values" "secretJob") }}
    {{- . | nindent 4 }}
    {{- end }}
    securityContext: {{- include "n8n-tuned.podSecurityContext" (dict "context" . "user" 1000) | nindent 6 }}
    containers:
      - name: make-secret
        # n8n's own image contains Node.js, and the cluster pulls it anyway.
        image: {{ include "n8n-tuned.image" . | quote }}
        imagePullPolicy: {{ .Values.image.pullPolicy }}
        command: [node, -e]
        args:
          - {{ .Files.Get "files/make-secret.js" | quote }}
        env:
          - name: SECRET_NAME
            value: {{ include "n8n-tuned.generatedSecretName" . }}
          - name: SECRET_KEYS
            value: {{ include "n8n-tuned.generatedKeys" . }}
          - name: SECRET_LABELS
            value: {{ toJson $labels | quote }}
          - name: SECRET_CLAIMS
            value: {{ include "n8n-tuned.secretClaims" . | quote }}
          - name: JOB_NAME
            valueFrom:
              fieldRef:
                fieldPath: metadata.labels['job-name']
        terminationMessagePolicy: FallbackToLogsOnError
        resources: {{- toYaml .Values.secretJob.resources | nindent 10 }}
        securityContext: {{- include "n8n-tuned.containerSecurityContext" . | nindent 10 }}
          readOnlyRootFilesystem: true
{{- end -}}
