{{/*
Paths that are reached from outside and the component that serves each, as JSON {"list": [{"path", "component"}]}, longest
first. Read in n8n 0.221.2, 1.123.81 and 2.41.1: a webhook processor serves what production triggers need, and main stops
serving it (N8N_DISABLE_PRODUCTION_MAIN_PROCESS); the test paths, the editor and the REST API are main's alone. Forms came
with 1.x, MCP triggers with 1.9x; older ones answer these paths with 404 wherever they go.
The -test paths and /mcp-server would go to main without a line of their own where prefixes are matched by path segment, as
Kubernetes demands; the lines are for controllers that compare characters. /chat stays with main: a webhook processor serves
it only from 2.31 on, and never the editor's own chat.
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

{{/* Host names under which the release is reached, those of the Ingress first, as JSON {"list": [...]}. */}}
{{- define "n8n-tuned.hosts" -}}
{{- $hosts := list -}}
{{- if .Values.ingress.enabled -}}{{- $hosts = concat $hosts .Values.ingress.hosts -}}{{- end -}}
{{- if .Values.gateway.enabled -}}{{- $hosts = concat $hosts .Values.gateway.hostnames -}}{{- end -}}
{{- dict "list" (uniq $hosts) | toJson -}}
{{- end -}}

{{/* Whether a host name is the one given or falls under its wildcard: "true" or "". Takes (list host pattern). */}}
{{- define "n8n-tuned.hostMatches" -}}
{{- $host := .host -}}
{{- $pattern := .pattern -}}
{{- if eq $host $pattern -}}true
{{- else if and (hasPrefix "*." $pattern) (hasSuffix (trimPrefix "*" $pattern) $host) -}}true{{- end -}}
{{- end -}}

{{/* Whether the Ingress ends TLS for a host: "true" or "". Takes (list root host). */}}
{{- define "n8n-tuned.ingressTls" -}}
{{- $root := .context -}}
{{- $host := .host -}}
{{- $found := "" -}}
{{- if $root.Values.ingress.enabled -}}
{{- range $root.Values.ingress.tls -}}
{{- range .hosts -}}{{- if include "n8n-tuned.hostMatches" (dict "host" $host "pattern" .) -}}{{- $found = "true" -}}{{- end -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $found -}}
{{- end -}}

{{/* The base URL of webhooks: as given, else of the first host that is none with a wildcard, else "". */}}
{{- define "n8n-tuned.webhookUrl" -}}
{{- if .Values.webhookUrl -}}
{{- .Values.webhookUrl -}}
{{- else -}}
{{- $named := list -}}
{{- range (include "n8n-tuned.hosts" . | fromJson).list -}}{{- if not (hasPrefix "*." .) -}}{{- $named = append $named . -}}{{- end -}}{{- end -}}
{{- with first $named -}}
{{- /* Of a Gateway's TLS the chart knows nothing: that is in the Gateway, and https is what faces the internet. */ -}}
{{- $plain := and (has . $.Values.ingress.hosts) $.Values.ingress.enabled (not (include "n8n-tuned.ingressTls" (dict "context" $ "host" .))) -}}
{{- printf "%s://%s/" (ternary "http" "https" $plain) . -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* How many proxies stand in front of n8n, whose X-Forwarded-For it then believes. */}}
{{- define "n8n-tuned.proxyHops" -}}
{{- if kindIs "invalid" .Values.proxyHops -}}
{{- ternary 1 0 (or .Values.ingress.enabled .Values.gateway.enabled) -}}
{{- else -}}
{{- int .Values.proxyHops -}}
{{- end -}}
{{- end -}}
