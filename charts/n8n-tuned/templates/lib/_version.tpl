{{/* The n8n version of the release, and what depends on it. */}}

{{/* The n8n version as the values give it. */}}
{{- define "n8n-tuned.givenVersion" -}}
{{- .Values.image.version | default .Values.image.tag | default .Chart.AppVersion -}}
{{- end -}}

{{/* That version as MAJOR.MINOR.PATCH; the chart's appVersion if the values give none (which is refused). */}}
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

{{/* How this chart knows the n8n version of the release: `run`, if its tests ran it, else `read`, with those that they ran. */}}
{{- define "n8n-tuned.evidence" -}}
{{- $run := index .Chart.Annotations "n8n-tuned/n8n-run" -}}
{{- if has (include "n8n-tuned.version" .) (splitList ", " $run) -}}run{{- else -}}read: the tests of this chart run {{ $run }}{{- end -}}
{{- end -}}

{{/* Whether n8n is the given version or newer: "true" or "". Takes (dict "context" "version"). */}}
{{- define "n8n-tuned.atLeast" -}}
{{- if semverCompare (printf ">=%s" .version) (include "n8n-tuned.version" .context) -}}true{{- end -}}
{{- end -}}

{{/* Whether n8n forks a process for each execution (own mode): "true" or "". */}}
{{- define "n8n-tuned.forksExecutions" -}}
{{- if and (eq .Values.executions.process "own") (eq .Values.executions.mode "regular") -}}
{{- if not (include "n8n-tuned.atLeast" (dict "context" . "version" "1.27.0")) -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{/* Path of the readiness probe. n8n below 1.58 has only /healthz (read: n8n PR 10661). */}}
{{- define "n8n-tuned.readinessPath" -}}
{{- if include "n8n-tuned.atLeast" (dict "context" . "version" "1.58.0") -}}/healthz/readiness{{- else -}}/healthz{{- end -}}
{{- end -}}

{{/* The image of n8n, with tag or digest. */}}
{{- define "n8n-tuned.image" -}}
{{- include "n8n-tuned.imageOf" (dict "context" . "image" .Values.image "tag" .Chart.AppVersion) -}}
{{- end -}}

{{/*
An image with its digest or tag, from `imageRegistry` if that is set. Takes (dict "context" "image" "tag"): `image` as in the
values, `tag` for an image that has none.
*/}}
{{- define "n8n-tuned.imageOf" -}}
{{- $repository := .image.repository -}}
{{- with .context.Values.imageRegistry | default (dig "imageRegistry" "" (.context.Values.global | default dict)) -}}
{{- /* As in Docker, a first part with a dot or a port is a registry. */ -}}
{{- $repository = printf "%s/%s" . (regexReplaceAll "^([^/]*[.:][^/]*|localhost)/" $repository "") -}}
{{- end -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $repository .image.digest -}}
{{- else -}}
{{- printf "%s:%v" $repository (.image.tag | default .tag) -}}
{{- end -}}
{{- end -}}
