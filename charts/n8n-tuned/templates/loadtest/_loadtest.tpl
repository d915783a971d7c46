{{/* k6 in the cluster, for the load targets of this release: used by `helm test`, the Job and the TestRun. */}}

{{/* URL of the Service that takes production webhooks. */}}
{{- define "n8n-tuned.loadTest.url" -}}
{{- $component := ternary "webhook" "main" (has "webhook" (include "n8n-tuned.components" . | fromJson).list) -}}
{{- $of := dict "context" . "component" $component -}}
{{- printf "http://%s:%s" (include "n8n-tuned.componentName" $of) (include "n8n-tuned.servicePort" $of) -}}
{{- end -}}

{{/* Readiness URLs of all n8n components that always have a pod, separated by spaces. */}}
{{- define "n8n-tuned.loadTest.health" -}}
{{- $urls := list -}}
{{- range (include "n8n-tuned.components" . | fromJson).list -}}
{{- $of := dict "context" $ "component" . -}}
{{- if gt (include "n8n-tuned.minReplicas" $of | int) 0 -}}
{{- $port := include "n8n-tuned.servicePort" $of -}}
{{- $urls = append $urls (printf "http://%s:%s%s" (include "n8n-tuned.componentName" $of) $port (include "n8n-tuned.readinessPath" $)) -}}
{{- end -}}
{{- end -}}
{{- join " " $urls -}}
{{- end -}}

{{/*
Container that waits until n8n is ready and the load targets are active, at most the given seconds. Takes (dict "context"
"seconds").
*/}}
{{- define "n8n-tuned.loadTest.healthContainer" -}}
{{- $context := .context -}}
name: health
# n8n's own image contains Node.js, and the cluster pulls it anyway.
image: {{ include "n8n-tuned.image" $context | quote }}
imagePullPolicy: {{ $context.Values.image.pullPolicy }}
command: [node, -e]
args:
  - {{ $context.Files.Get "files/loadtest/health.js" | quote }}
env:
  - name: HEALTH
    value: {{ include "n8n-tuned.loadTest.health" $context | quote }}
  {{- if $context.Values.loadTargets.enabled }}
  - name: WEBHOOK
    value: {{ printf "%s/webhook/%s" (include "n8n-tuned.loadTest.url" $context) (first $context.Values.loadTargets.workflows) | quote }}
  {{- end }}
  - name: SECONDS
    value: {{ .seconds | quote }}
resources: {{- include "n8n-tuned.loadTest.smallResources" $context | nindent 2 }}
securityContext: {{- include "n8n-tuned.readOnlyContainer" $context | nindent 2 }}
{{- end -}}

{{/* Resources of a container that only waits or starts something. It has all four, or a quota of its namespace would refuse it. */}}
{{- define "n8n-tuned.loadTest.smallResources" -}}
requests:
  cpu: 50m
  memory: 64Mi
limits:
  cpu: 500m
  memory: 256Mi
{{- end -}}

{{/*
Environment variables of a script, as list items. k6 reads the token from the environment, since arguments are visible to
others. Takes (dict "context" "variables").
*/}}
{{- define "n8n-tuned.loadTest.env" -}}
- name: BASE_URL
  value: {{ include "n8n-tuned.loadTest.url" .context }}
- name: TOKEN
  valueFrom:
    secretKeyRef: {{- include "n8n-tuned.loadTargets.tokenRef" .context | nindent 6 }}
{{- range $name, $value := .variables }}
- name: {{ $name | quote }}
  value: {{ toString $value | quote }}
{{- end }}
{{- end -}}

{{/* Variables of the load test that the values set, as JSON. */}}
{{- define "n8n-tuned.loadTest.variables" -}}
{{- $values := .Values.loadTest -}}
{{- $rates := list -}}
{{- range $values.rates -}}{{- $rates = append $rates (toString .) -}}{{- end -}}
{{- $variables := dict "RATES" (join "," $rates) "DURATION" $values.duration -}}
{{- with $values.maxVUs -}}{{- $_ := set $variables "MAX_VUS" (int .) -}}{{- end -}}
{{- merge $variables $values.env | toJson -}}
{{- end -}}

{{/* The volume of scripts, as a list item. Keys of a ConfigMap contain no slashes, so the keys spell a slash as __. */}}
{{- define "n8n-tuned.loadTest.volumes" -}}
- name: loadtests
  configMap:
    name: {{ include "n8n-tuned.componentName" (dict "context" . "component" "loadtest") | quote }}
    items:
      {{- range $path, $_ := .Files.Glob "files/loadtests/**.js*" }}
      {{- $name := trimPrefix "files/loadtests/" $path }}
      - key: {{ $name | replace "/" "__" | quote }}
        path: {{ $name }}
      {{- end }}
{{- end -}}

{{/* The mount of that volume, as a list item. */}}
{{- define "n8n-tuned.loadTest.volumeMounts" -}}
- name: loadtests
  mountPath: /loadtests
  readOnly: true
{{- end -}}

{{/* k6's image. */}}
{{- define "n8n-tuned.loadTest.image" -}}
{{- include "n8n-tuned.imageOf" (dict "context" . "image" .Values.loadTest.image) -}}
{{- end -}}

{{/* User id of k6's image (read). */}}
{{- define "n8n-tuned.loadTest.user" -}}12345{{- end -}}

{{/*
Spec of a pod that runs a script once, after waiting for n8n at most the given seconds. Takes (dict "context" "script"
"variables" "seconds").
*/}}
{{- define "n8n-tuned.loadTest.podSpec" -}}
{{- $context := .context -}}
restartPolicy: Never
automountServiceAccountToken: false
enableServiceLinks: false
{{- with include "n8n-tuned.imagePullSecrets" $context }}
{{ . }}
{{- end }}
{{- with include "n8n-tuned.placement" (dict "context" $context "values" "loadTest") }}
{{ . }}
{{- end }}
securityContext: {{- include "n8n-tuned.podSecurityContext" (dict "context" $context "user" (include "n8n-tuned.loadTest.user" $context)) | nindent 2 }}
initContainers:
  - {{ include "n8n-tuned.loadTest.healthContainer" . | nindent 4 | trim }}
containers:
  - name: k6
    image: {{ include "n8n-tuned.loadTest.image" $context | quote }}
    imagePullPolicy: {{ $context.Values.image.pullPolicy }}
    command: [k6, run, --quiet, --no-usage-report, /loadtests/{{ .script }}.js]
    env: {{- include "n8n-tuned.loadTest.env" . | nindent 6 }}
    resources: {{- toYaml $context.Values.loadTest.resources | nindent 6 }}
    securityContext: {{- include "n8n-tuned.readOnlyContainer" $context | nindent 6 }}
    volumeMounts: {{- include "n8n-tuned.loadTest.volumeMounts" $context | nindent 6 }}
volumes: {{- include "n8n-tuned.loadTest.volumes" $context | nindent 2 }}
{{- end -}}
