{{/* Which component serves which path, and what follows from the host names. Ingress and HTTPRoute use the same paths. */}}

{{/*
Paths that are reachable from outside, and the component that serves each, as JSON {"list": [{"path", "component"}]}, longest
first. Read in n8n 0.221.2, 1.123.81 and 2.41.1: webhook processors serve the paths of production triggers, and main stops
serving them (N8N_DISABLE_PRODUCTION_MAIN_PROCESS). Only main serves the test paths, the editor and the REST API. Forms came
with 1.x and MCP triggers with 1.9x; older versions answer 404 on these paths in any component.
The -test paths and /mcp-server have entries of their own for controllers that compare prefixes by characters; Kubernetes asks
for a comparison by path segments, which needs no entries. /chat stays with main: a webhook processor serves it only from 2.31
on, and never the chat of the editor.
*/}}
{{- define "n8n-tuned.routes" -}}
{{- $routes := list -}}
{{- if has "webhook" (include "n8n-tuned.components" . | fromJson).list -}}
{{- range $path := list "/webhook-waiting" "/webhook-test" "/form-waiting" "/mcp-server" "/form-test" "/mcp-test" "/webhook" "/form" "/mcp" -}}
{{- $onMain := or (hasSuffix "-test" $path) (hasSuffix "-server" $path) -}}
{{- $routes = append $routes (dict "path" $path "component" (ternary "main" "webhook" $onMain)) -}}
{{- end -}}
{{- end -}}
{{- dict "list" (append $routes (dict "path" "/" "component" "main")) | toJson -}}
{{- end -}}

{{/* Names in `ingress.hosts`, as JSON; what else is there is refused. */}}
{{- define "n8n-tuned.ingressHosts" -}}
{{- $hosts := list -}}
{{- range .Values.ingress.hosts -}}{{- if kindIs "string" . -}}{{- $hosts = append $hosts . -}}{{- end -}}{{- end -}}
{{- toJson $hosts -}}
{{- end -}}

{{/* Host names of the release, those of the Ingress first, as JSON {"list": [...]}. */}}
{{- define "n8n-tuned.hosts" -}}
{{- $hosts := list -}}
{{- if .Values.ingress.enabled -}}{{- $hosts = concat $hosts (include "n8n-tuned.ingressHosts" . | fromJsonArray) -}}{{- end -}}
{{- if .Values.gateway.enabled -}}{{- $hosts = concat $hosts (.Values.gateway.hostnames | default list) -}}{{- end -}}
{{- dict "list" (uniq $hosts) | toJson -}}
{{- end -}}

{{/* Whether a host name equals a pattern or matches its wildcard: "true" or "". Takes (dict "host" "pattern"). */}}
{{- define "n8n-tuned.hostMatches" -}}
{{- $host := .host -}}
{{- $pattern := .pattern -}}
{{- if eq $host $pattern -}}true
{{- else if and (hasPrefix "*." $pattern) (hasSuffix (trimPrefix "*" $pattern) $host) -}}true{{- end -}}
{{- end -}}

{{/* Whether the Ingress has a certificate for a host: "true" or "". Takes (dict "context" "host"). */}}
{{- define "n8n-tuned.ingressTls" -}}
{{- $context := .context -}}
{{- $host := .host -}}
{{- $found := "" -}}
{{- if $context.Values.ingress.enabled -}}
{{- range $context.Values.ingress.tls -}}
{{- range .hosts -}}{{- if include "n8n-tuned.hostMatches" (dict "host" $host "pattern" .) -}}{{- $found = "true" -}}{{- end -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $found -}}
{{- end -}}

{{/* The base URL of webhooks: that of the values, or the URL of the first host without a wildcard, or "". */}}
{{- define "n8n-tuned.webhookUrl" -}}
{{- if .Values.webhookUrl -}}
{{- .Values.webhookUrl -}}
{{- else -}}
{{- $named := list -}}
{{- range (include "n8n-tuned.hosts" . | fromJson).list -}}{{- if not (hasPrefix "*." .) -}}{{- $named = append $named . -}}{{- end -}}{{- end -}}
{{- with first $named -}}
{{- /* The chart does not know whether a Gateway serves TLS, and assumes https. */ -}}
{{- $onIngress := and $.Values.ingress.enabled (has . (include "n8n-tuned.ingressHosts" $ | fromJsonArray)) -}}
{{- $plain := and $onIngress (not (include "n8n-tuned.ingressTls" (dict "context" $ "host" .))) -}}
{{- printf "%s://%s/" (ternary "http" "https" $plain) . -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Number of proxies in front of n8n, whose X-Forwarded-For n8n trusts. */}}
{{- define "n8n-tuned.proxyHops" -}}
{{- if kindIs "invalid" .Values.proxyHops -}}
{{- ternary 1 0 (or .Values.ingress.enabled .Values.gateway.enabled) -}}
{{- else -}}
{{- int .Values.proxyHops -}}
{{- end -}}
{{- end -}}
