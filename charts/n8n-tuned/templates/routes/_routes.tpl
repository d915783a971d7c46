{{/* Which component serves which path, and what follows from the host names. Ingress and HTTPRoute use the same paths. */}}

{{/*
Paths that are reachable from outside, and the component that serves each, as JSON {"list": [{"path", "component"}]}, longest
first. Read in n8n 0.221.2, 1.123.81 and 2.41.1: webhook processors serve the paths of production triggers, and main stops
serving them (N8N_DISABLE_PRODUCTION_MAIN_PROCESS). Only main serves the test paths, the editor and the REST API. Forms came
with 1.x and MCP triggers with 1.9x; older versions answer 404 on these paths in any component.
The -test paths, /mcp-server and /mcp-oauth have entries of their own for controllers that compare prefixes by characters;
Kubernetes asks for a comparison by path segments, which needs no entries. Slack and Telegram call
/webhook-waiting-slack and /webhook-waiting-telegram, for all workflows (2.41.1, abstract-server.js). /chat stays with main: a webhook
processor serves it only from 2.31 on, and never the chat of the editor; public chats connect to it. Takes (dict "context"
"webhooks"): whether the paths of production alone.
*/}}
{{- define "n8n-tuned.routes" -}}
{{- $processors := has "webhook" (include "n8n-tuned.components" .context | fromJson).list -}}
{{- $routes := list -}}
{{- $answers := list "/webhook-waiting-telegram" "/webhook-waiting-slack" -}}
{{- $others := list "/webhook-waiting" "/webhook-test" "/form-waiting" "/mcp-server" "/mcp-oauth" "/form-test" "/mcp-test" "/webhook" "/form" "/mcp" -}}
{{- range $path := concat $answers $others -}}
{{- $ofMain := or (hasSuffix "-test" $path) (has $path (list "/mcp-server" "/mcp-oauth")) -}}
{{- if ternary (not $ofMain) $processors $.webhooks -}}
{{- $routes = append $routes (dict "path" $path "component" (ternary "webhook" "main" (and $processors (not $ofMain)))) -}}
{{- end -}}
{{- end -}}
{{- $routes = append $routes (dict "path" (ternary "/chat" "/" .webhooks) "component" "main") -}}
{{- dict "list" $routes | toJson -}}
{{- end -}}

{{/* Names in a list of hosts, as JSON; what else is there is refused. Takes the list. */}}
{{- define "n8n-tuned.hostNames" -}}
{{- $hosts := list -}}
{{- range . -}}{{- if kindIs "string" . -}}{{- $hosts = append $hosts . -}}{{- end -}}{{- end -}}
{{- toJson $hosts -}}
{{- end -}}

{{/*
The Ingresses and HTTPRoutes of the release as JSON {"list": [...]}, those of webhooks first. Each has `path` and `values` in the
values, `hosts`, `webhooks` (whether it serves production webhooks alone), and `ingress` (else it is an HTTPRoute).
*/}}
{{- define "n8n-tuned.entrances" -}}
{{- $entrances := list -}}
{{- range $webhooks := list true false -}}
{{- range $kind := list "ingress" "gateway" -}}
{{- $values := index $.Values $kind -}}
{{- if $webhooks -}}{{- $values = $values.webhooks -}}{{- end -}}
{{- if $values.enabled -}}
{{- $hosts := get $values (ternary "hosts" "hostnames" (eq $kind "ingress")) | default list -}}
{{- $entrances = append $entrances (dict
  "path" (ternary (printf "%s.webhooks" $kind) $kind $webhooks) "values" $values "webhooks" $webhooks
  "hosts" (include "n8n-tuned.hostNames" $hosts | fromJsonArray) "ingress" (eq $kind "ingress")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "list" $entrances | toJson -}}
{{- end -}}

{{/* Whether no Ingress and no HTTPRoute leads to n8n: "true" or "". Takes the root context. */}}
{{- define "n8n-tuned.hasNoEntrance" -}}
{{- if not (include "n8n-tuned.entrances" . | fromJson).list -}}true{{- end -}}
{{- end -}}

{{/* Host names of the release, those of webhooks first, as JSON {"list": [...]}. */}}
{{- define "n8n-tuned.hosts" -}}
{{- $hosts := list -}}
{{- range (include "n8n-tuned.entrances" . | fromJson).list -}}{{- $hosts = concat $hosts .hosts -}}{{- end -}}
{{- dict "list" (uniq $hosts) | toJson -}}
{{- end -}}

{{/* Whether a host name equals a pattern or matches its wildcard: "true" or "". Takes (dict "host" "pattern"). */}}
{{- define "n8n-tuned.hostMatches" -}}
{{- $host := .host -}}
{{- $pattern := .pattern -}}
{{- if eq $host $pattern -}}true
{{- else if and (hasPrefix "*." $pattern) (hasSuffix (trimPrefix "*" $pattern) $host) -}}true{{- end -}}
{{- end -}}

{{/* Whether an Ingress has a certificate for a host: "true" or "". Takes (dict "context" "host"). */}}
{{- define "n8n-tuned.ingressTls" -}}
{{- $host := .host -}}
{{- $found := "" -}}
{{- range (include "n8n-tuned.entrances" .context | fromJson).list -}}
{{- if .ingress -}}
{{- range .values.tls -}}
{{- range .hosts -}}{{- if include "n8n-tuned.hostMatches" (dict "host" $host "pattern" .) -}}{{- $found = "true" -}}{{- end -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $found -}}
{{- end -}}

{{/* The URL of the first host without a wildcard of some entrances, or "". Takes (dict "context" "entrances"). */}}
{{- define "n8n-tuned.firstUrl" -}}
{{- $url := "" -}}
{{- range $entrance := .entrances -}}
{{- range $entrance.hosts -}}
{{- if and (not $url) (not (hasPrefix "*." .)) -}}
{{- /* The chart does not know whether a Gateway serves TLS, and assumes https. */ -}}
{{- $plain := and $entrance.ingress (not (include "n8n-tuned.ingressTls" (dict "context" $.context "host" .))) -}}
{{- $url = printf "%s://%s/" (ternary "http" "https" $plain) . -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $url -}}
{{- end -}}

{{/*
The entrances of a URL as JSON {"list": [...]}: of webhooks those that serve them alone, or all if there are none; of the editor those
that serve it. Takes (dict "context" "webhooks").
*/}}
{{- define "n8n-tuned.entrancesOf" -}}
{{- $own := list -}}
{{- $editors := list -}}
{{- range (include "n8n-tuned.entrances" .context | fromJson).list -}}
{{- if .webhooks -}}{{- $own = append $own . -}}{{- else -}}{{- $editors = append $editors . -}}{{- end -}}
{{- end -}}
{{- dict "list" (ternary $own $editors (and .webhooks (gt (len $own) 0))) | toJson -}}
{{- end -}}

{{/* The base URL of webhooks: that of the values, or the URL of the first host without a wildcard, or "". */}}
{{- define "n8n-tuned.webhookUrl" -}}
{{- $entrances := (include "n8n-tuned.entrancesOf" (dict "context" . "webhooks" true) | fromJson).list -}}
{{- .Values.webhookUrl | default (include "n8n-tuned.firstUrl" (dict "context" . "entrances" $entrances)) -}}
{{- end -}}

{{/*
The URL of the editor, or "" where it is that of webhooks: that of the values, or that of the first host of the editor, where
webhooks have an entrance of their own.
*/}}
{{- define "n8n-tuned.editorUrl" -}}
{{- $entrances := (include "n8n-tuned.entrances" . | fromJson).list -}}
{{- $editors := (include "n8n-tuned.entrancesOf" (dict "context" . "webhooks" false) | fromJson).list -}}
{{- $derived := "" -}}
{{- if lt (len $editors) (len $entrances) -}}
{{- $derived = include "n8n-tuned.firstUrl" (dict "context" . "entrances" $editors) -}}
{{- end -}}
{{- .Values.editorUrl | default $derived -}}
{{- end -}}

{{/* Number of proxies in front of n8n, whose X-Forwarded-For n8n trusts. */}}
{{- define "n8n-tuned.proxyHops" -}}
{{- if kindIs "invalid" .Values.proxyHops -}}
{{- (include "n8n-tuned.entrances" . | fromJson).list | empty | ternary 0 1 -}}
{{- else -}}
{{- int .Values.proxyHops -}}
{{- end -}}
{{- end -}}
