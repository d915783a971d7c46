{{/* Refuses settings of the log and of proxies that this n8n does not read. */}}

{{- define "n8n-tuned.check.settings" -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- if and (eq .Values.logging.format "json") (not (include "n8n-tuned.reads" (dict "context" . "variable" "N8N_LOG_FORMAT"))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "json-log-unsupported"
  "value" "logging.format=json"
  "why" (printf "n8n %s writes only text; n8n 1.99 and newer write JSON" $version)
  "do" "Set logging.format=text, or image.tag to 1.99.0 or newer") }}
{{- end }}
{{- if regexMatch "^[A-Za-z]+[+-]0*[1-9]" (.Values.timezone | default "") }}
{{ include "n8n-tuned.refusal" (dict
  "code" "timezone-is-an-offset"
  "value" (printf "timezone=%s" .Values.timezone)
  "why" "no time zone has this name: a time zone is named by a place, or Etc/GMT with the opposite sign (Etc/GMT-1 is one hour east)"
  "do" "Set a name as in the list of IANA, for example Europe/Berlin or UTC") }}
{{- end }}
{{- with .Values.timezone }}
{{- if not (regexMatch "^[A-Za-z]+[+-]0*[1-9]" .) }}
{{- /*
Go takes UTC for a name that it does not know. It knows all names, or none where the machine has no time zones: then nothing is said.
*/}}
{{- $knows := ne (dateInZone "MST" now "Asia/Tokyo") "UTC" }}
{{- $isUtc := has . (list "UTC" "UCT" "Zulu" "Universal" "Etc/UTC" "Etc/UCT" "Etc/Zulu" "Etc/Universal") }}
{{- if and $knows (eq (dateInZone "MST" now .) "UTC") (not $isUtc) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "timezone-unknown"
  "value" (printf "timezone=%s" .)
  "why" "no time zone has this name, so schedules would not run when you expect it"
  "do" "Set a name as in the list of IANA, for example Europe/Berlin or UTC") }}
{{- end }}
{{- end }}
{{- end }}
{{- $hops := .Values.proxyHops | default 0 | int -}}
{{- if and (gt $hops 0) (not (include "n8n-tuned.reads" (dict "context" . "variable" "N8N_PROXY_HOPS"))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "proxy-hops-unsupported"
  "value" (printf "proxyHops=%d" $hops)
  "why" (printf "n8n %s does not read it; n8n 1.27 and newer do" $version)
  "do" "Remove it, or set image.tag to 1.27.0 or newer") }}
{{- end }}
{{- end -}}
