{{/* URL of the Service that takes production webhooks. */}}
{{- define "n8n-tuned.loadTest.url" -}}
{{- $component := ternary "webhook" "main" (has "webhook" (include "n8n-tuned.components" . | fromJson).list) -}}
{{- printf "http://%s:5678" (include "n8n-tuned.componentName" (dict "context" . "component" $component)) -}}
{{- end -}}

{{/* URLs of the health of every n8n component, separated by spaces. */}}
{{- define "n8n-tuned.loadTest.health" -}}
{{- $urls := list -}}
{{- range (include "n8n-tuned.components" . | fromJson).list -}}
{{- $urls = append $urls (printf "http://%s:5678%s" (include "n8n-tuned.componentName" (dict "context" $ "component" .)) (include "n8n-tuned.readinessPath" $)) -}}
{{- end -}}
{{- join " " $urls -}}
{{- end -}}

{{/* Container that waits until n8n is ready and the load targets active. Takes (list root seconds). */}}
{{- define "n8n-tuned.loadTest.healthContainer" -}}
{{- $root := .context -}}
name: health
# Has node, and is needed on the node anyway.
image: {{ include "n8n-tuned.image" $root | quote }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
command: [node, -e]
args:
  - {{ $root.Files.Get "files/loadtest/health.js" | quote }}
env:
  - name: HEALTH
    value: {{ include "n8n-tuned.loadTest.health" $root | quote }}
  {{- if $root.Values.loadTargets.enabled }}
  - name: WEBHOOK
    value: {{ printf "%s/webhook/%s" (include "n8n-tuned.loadTest.url" $root) (first $root.Values.loadTargets.workflows) | quote }}
  {{- end }}
  - name: SECONDS
    value: {{ .seconds | quote }}
resources:
  requests:
    cpu: 50m
    memory: 64Mi
  limits:
    memory: 256Mi
securityContext: {{ include "n8n-tuned.readOnlyContainer" $root | nindent 2 }}
{{- end -}}

{{/*
Environment of a script, as a list. k6 reads it from the environment: an argument would show the token. Takes
(list root variables).
*/}}
{{- define "n8n-tuned.loadTest.env" -}}
{{- $root := .context -}}
- name: BASE_URL
  value: {{ include "n8n-tuned.loadTest.url" $root }}
- name: TOKEN
  valueFrom:
    secretKeyRef: {{ include "n8n-tuned.loadTargets.tokenRef" $root | nindent 6 }}
{{- range $name, $value := .variables }}
- name: {{ $name | quote }}
  value: {{ toString $value | quote }}
{{- end }}
{{- end -}}

{{/* Variables of the load test that the values ask for, as JSON. */}}
{{- define "n8n-tuned.loadTest.variables" -}}
{{- $values := .Values.loadTest -}}
{{- $rates := list -}}
{{- range $values.rates -}}{{- $rates = append $rates (toString .) -}}{{- end -}}
{{- $variables := dict "RATES" (join "," $rates) "DURATION" $values.duration -}}
{{- with $values.maxVUs -}}{{- $_ := set $variables "MAX_VUS" (int .) -}}{{- end -}}
{{- merge $variables $values.env | toJson -}}
{{- end -}}

{{/* The volume of scripts, as a list: keys of a ConfigMap have no slashes. */}}
{{- define "n8n-tuned.loadTest.volumes" -}}
- name: loadtests
  configMap:
    name: {{ include "n8n-tuned.componentName" (dict "context" . "component" "loadtest") }}
    items:
      {{- range $path, $_ := .Files.Glob "files/loadtests/**.js*" }}
      {{- $name := trimPrefix "files/loadtests/" $path }}
      - key: {{ $name | replace "/" "__" }}
        path: {{ $name }}
      {{- end }}
{{- end -}}

{{- define "n8n-tuned.loadTest.volumeMounts" -}}
- name: loadtests
  mountPath: /loadtests
  readOnly: true
{{- end -}}

{{- define "n8n-tuned.loadTest.image" -}}
{{- printf "%s:%s" .Values.loadTest.image.repository .Values.loadTest.image.tag -}}
{{- end -}}

{{/* User id of k6's image (read). */}}
{{- define "n8n-tuned.loadTest.user" -}}12345{{- end -}}

{{/* Spec of a pod that runs a script once. Takes (list root script variables secondsToWait). */}}
{{- define "n8n-tuned.loadTest.podSpec" -}}
{{- $root := .context -}}
restartPolicy: Never
automountServiceAccountToken: false
enableServiceLinks: false
{{- include "n8n-tuned.imagePullSecrets" $root | trim | nindent 0 }}
securityContext: {{ include "n8n-tuned.podSecurityContext" (include "n8n-tuned.loadTest.user" $root) | nindent 2 }}
initContainers:
  - {{- include "n8n-tuned.loadTest.healthContainer" (dict "context" $root "seconds" .seconds) | nindent 4 }}
containers:
  - name: k6
    image: {{ include "n8n-tuned.loadTest.image" $root | quote }}
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    command: [k6, run, --quiet, --no-usage-report, /loadtests/{{ .script }}.js]
    env: {{ include "n8n-tuned.loadTest.env" (dict "context" $root "variables" .variables) | nindent 6 }}
    resources: {{ toYaml $root.Values.loadTest.resources | nindent 6 }}
    securityContext: {{ include "n8n-tuned.readOnlyContainer" $root | nindent 6 }}
    volumeMounts: {{ include "n8n-tuned.loadTest.volumeMounts" $root | nindent 6 }}
volumes: {{ include "n8n-tuned.loadTest.volumes" $root | nindent 2 }}
{{- end -}}
