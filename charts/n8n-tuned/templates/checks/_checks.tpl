{{/*
Runs every check and fails with all refusals at once; before the others those of the first two, on which they rely. Each check is a
template that prints its refusals, one a line.
*/}}

{{- define "n8n-tuned.checks" -}}
{{- $subjects := list
  "otherNames" "formats" "version" "executions" "expressions" "binaryData" "database" "redis" "queue" "secrets" "connections" "unused"
  "heap" "overload" "resources" "shutdown" "hooks" "extraEnv" "settings" "network" "addresses" "services" "egress" "monitoring"
  "labels" "security" "extraManifests" "pods" "persistence" "claims" "scaling" "runners" "multiMain" "packages" "codeNodes" "hardening"
  "rescue" "loadTargets" "loadTest" -}}
{{- include "n8n-tuned.failIf" (dict "context" . "subjects" (slice $subjects 0 2)) -}}
{{- include "n8n-tuned.failIf" (dict "context" . "subjects" (slice $subjects 2)) -}}
{{- end -}}

{{/* Fails with all refusals of some checks, if there are any. Takes (dict "context" "subjects"). */}}
{{- define "n8n-tuned.failIf" -}}
{{- $refusals := list -}}
{{- range $subject := .subjects -}}
{{- range include (printf "n8n-tuned.check.%s" $subject) $.context | splitList "\n" -}}
{{- with trim . -}}{{- $refusals = append $refusals (printf "n8n-tuned: %s" .) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- with uniq $refusals -}}{{- fail (printf "\n%s" (join "\n" .)) -}}{{- end -}}
{{- end -}}

{{/*
One refusal as one line: "value: why. What to do. [code]". Takes (dict "code" "value" "why" "do"): `code` is for tests and
searches and does not change with the wording; `value` is the path of a value, followed by =content where that helps. Refusals are
in the logs of pipelines: in `value`, *** stands for user, password, query and fragment of a URL, and for user:password before an @.
An image with a digest has an @, too.
*/}}
{{- define "n8n-tuned.refusal" -}}
{{- $value := regexReplaceAll "(?s)(://).*@" .value "${1}***@" -}}
{{- $value = regexReplaceAll "(?s)(://[^?#]*[?#]).+" $value "${1}***" -}}
{{- if not (regexMatch "^[^@]*@sha256:[0-9a-f]{64}$" $value) -}}
{{- $value = regexReplaceAll "(?s)^([^=\\s]*[=\\s])[^:]*:(/?[^/].*|/)?@" $value "${1}***@" -}}
{{- end -}}
{{- printf "%s: %s. %s. [%s]" $value .why .do .code | replace "\n" " " -}}
{{- end -}}
