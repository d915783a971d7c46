{{/* What the values say the n8n version is, as they say it. */}}
{{- define "n8n-tuned.givenVersion" -}}
{{- .Values.image.version | default .Values.image.tag | default .Chart.AppVersion -}}
{{- end -}}

{{/* MAJOR.MINOR.PATCH of that n8n; the chart's own where the values give none that can be read (which is refused). */}}
{{- define "n8n-tuned.version" -}}
{{- $given := include "n8n-tuned.givenVersion" . -}}
{{- if regexMatch (include "n8n-tuned.versionPattern" .) $given -}}
{{- regexFind "[0-9]+\\.[0-9]+\\.[0-9]+" $given -}}
{{- else -}}
{{- .Chart.AppVersion -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.versionPattern" -}}
^v?[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$
{{- end -}}

{{/* Whether that n8n is a given version or newer: "true" or "". Takes (list root "1.27.0"). */}}
{{- define "n8n-tuned.atLeast" -}}
{{- if semverCompare (printf ">=%s" .version) (include "n8n-tuned.version" .context) -}}true{{- end -}}
{{- end -}}

{{/* Whether executions are forked: "true" or "". */}}
{{- define "n8n-tuned.forksExecutions" -}}
{{- if and (eq .Values.executions.process "own") (eq .Values.executions.mode "regular") (not (include "n8n-tuned.atLeast" (dict "context" . "version" "1.27.0"))) -}}true{{- end -}}
{{- end -}}

{{/* Path of the readiness probe; below 1.58 there is only the one health path (read: n8n PR 10661). */}}
{{- define "n8n-tuned.readinessPath" -}}
{{- if include "n8n-tuned.atLeast" (dict "context" . "version" "1.58.0") -}}/healthz/readiness{{- else -}}/healthz{{- end -}}
{{- end -}}

{{/* n8n's image as a container names it. */}}
{{- define "n8n-tuned.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
