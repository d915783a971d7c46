{{- /*
Before install and upgrade, in the order of the weight, and gone when it has worked: what may create Secrets does not
stay. Without Helm (kubectl apply) these are plain objects. Takes the weight.
*/}}
{{- define "n8n-tuned.secretHook" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{- define "n8n-tuned.makeSecretJob" -}}
{{ printf "%s-%s" (include "n8n-tuned.componentName" (dict "context" . "component" "make-secret")) (include "n8n-tuned.makeSecretSpec" . | sha256sum | trunc 8) }}
{{- end -}}

{{- define "n8n-tuned.makeSecretSpec" -}}
backoffLimit: 3
# Leaves time to pull the image.
activeDeadlineSeconds: 900
ttlSecondsAfterFinished: 3600
# What make-secret.js says by 3 is not better at the next try.
podFailurePolicy:
  rules:
    - action: FailJob
      onExitCodes:
        containerName: make-secret
        operator: In
        values: [3]
template:
  metadata:
    labels: {{ include "n8n-tuned.podLabels" (dict "context" . "component" "make-secret") | nindent 6 }}
  spec:
    restartPolicy: Never
    serviceAccountName: {{ include "n8n-tuned.componentName" (dict "context" . "component" "make-secret") }}
    # The one pod with a token.
    automountServiceAccountToken: true
    enableServiceLinks: false
    {{- with include "n8n-tuned.imagePullSecrets" . | trim }}
    {{- . | nindent 4 }}
    {{- end }}
    securityContext: {{ include "n8n-tuned.podSecurityContext" 1000 | nindent 6 }}
    containers:
      - name: make-secret
        # Has node, and is needed on the node anyway.
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
            value: {{ dict "app.kubernetes.io/name" (default .Chart.Name .Values.nameOverride) "app.kubernetes.io/part-of" "n8n-tuned" "n8n-tuned.io/release" .Release.Name | toJson | quote }}
          - name: SECRET_CLAIMS
            value: {{ include "n8n-tuned.secretClaims" . | quote }}
          - name: JOB_NAME
            valueFrom:
              fieldRef:
                fieldPath: metadata.labels['job-name']
        terminationMessagePolicy: FallbackToLogsOnError
        resources:
          requests:
            cpu: 50m
            memory: 64Mi
          limits:
            memory: 256Mi
        securityContext: {{ include "n8n-tuned.containerSecurityContext" . | nindent 10 }}
          readOnlyRootFilesystem: true
{{- end -}}
