{{/* Refuses settings that this n8n does not read, and time zones that it does not know. */}}

{{- define "n8n-tuned.check.settings" -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- if and (eq .Values.logging.format "json") (not (include "n8n-tuned.reads" (dict "context" . "variable" "N8N_LOG_FORMAT"))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "json-log-unsupported"
  "value" "logging.format=json"
  "why" (printf "n8n %s writes only text; n8n 1.99 and newer write JSON" $version)
  "do" "Set logging.format=text, or image.tag to 1.99.0 or newer") }}
{{- end }}
{{- include "n8n-tuned.check.timezone" . }}
{{- $guards := include "n8n-tuned.reads" (dict "context" . "variable" "N8N_SSRF_PROTECTION_ENABLED") -}}
{{- if and .Values.hardening.enabled .Values.hardening.allowedHosts (not $guards) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "allowed-hosts-unsupported"
  "value" "hardening.allowedHosts"
  "why" (printf "n8n %s cannot block private addresses, so this list has no effect; n8n 2.33.7 and newer can" $version)
  "do" "Remove it, or set image.tag to 2.33.7 or newer") }}
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

{{/* The time zone. The chart has the list of names, since not every machine on which Helm runs has one. */}}
{{- define "n8n-tuned.check.timezone" -}}
{{- $given := .Values.timezone -}}
{{- $names := .Files.Lines "files/timezones.txt" -}}
{{- if and $given (not (has $given $names)) }}
{{- $meant := "" }}
{{- range $names }}{{- if eq (lower .) (lower $given) }}{{ $meant = . }}{{ end }}{{- end }}
{{- if regexMatch "^[A-Za-z]+[+-]0*[1-9]" $given }}
{{ include "n8n-tuned.refusal" (dict
  "code" "timezone-is-an-offset"
  "value" (printf "timezone=%s" $given)
  "why" "no time zone has this name: a time zone is named by a place, or Etc/GMT with the opposite sign (Etc/GMT-1 is one hour east)"
  "do" "Set a name as in the list of IANA, for example Europe/Berlin or UTC") }}
{{- else }}
{{ include "n8n-tuned.refusal" (dict
  "code" "timezone-unknown"
  "value" (printf "timezone=%s" $given)
  "why" "no time zone has this name, so schedules would not run when you expect it"
  "do" (ternary (printf "Write %s" $meant) "Set a name as in the list of IANA, for example Europe/Berlin or UTC" (ne $meant ""))) }}
{{- end }}
{{- end }}
{{- end -}}
