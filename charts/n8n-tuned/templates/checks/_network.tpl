{{/* Refuses an n8n that nobody can reach, or that tells callers an address at which nobody can reach it. */}}

{{- define "n8n-tuned.check.network" -}}
{{- $ingress := .Values.ingress -}}
{{- $gateway := .Values.gateway -}}
{{- if and $ingress.enabled (not $ingress.hosts) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "ingress-without-host"
  "value" "ingress.hosts"
  "why" "it is empty, and ingress.enabled=true needs a host to route"
  "do" "Set it to the host names of n8n") }}
{{- end }}
{{- if and $gateway.enabled (not $gateway.parentRefs) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "route-without-gateway"
  "value" "gateway.parentRefs"
  "why" "it is empty, so no Gateway serves the HTTPRoute of gateway.enabled=true"
  "do" "Set it to your Gateway, for example [{name: public, namespace: gateways}]") }}
{{- end }}
{{- if $ingress.enabled }}
{{- range $ingress.tls }}
{{- range $host := .hosts }}
{{- $routed := "" }}
{{- range include "n8n-tuned.ingressHosts" $ | fromJsonArray }}
{{- if include "n8n-tuned.hostMatches" (dict "host" . "pattern" $host) }}{{ $routed = "true" }}{{ end }}
{{- end }}
{{- if not $routed }}
{{ include "n8n-tuned.refusal" (dict
  "code" "certificate-of-unrouted-host"
  "value" (printf "ingress.tls host %s" $host)
  "why" "ingress.hosts does not contain this host, so its certificate has no use"
  "do" "Add the host to ingress.hosts, or remove it from ingress.tls") }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.webhookUrl }}{{ include "n8n-tuned.check.webhookUrl" . }}{{ end }}
{{- range $component := list "main" "webhook" }}
{{- $service := (index $.Values $component).service }}
{{- if and (not (kindIs "invalid" $service.nodePort)) (eq $service.type "ClusterIP") }}
{{ include "n8n-tuned.refusal" (dict
  "code" "node-port-of-cluster-ip"
  "value" (printf "%s.service.nodePort=%d" $component (int $service.nodePort))
  "why" (printf "a Service of %s.service.type=ClusterIP has no node port" $component)
  "do" (printf "Set %s.service.type=NodePort or LoadBalancer, or remove it" $component)) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The URL that n8n tells callers, against the hosts that are routed. */}}
{{- define "n8n-tuned.check.webhookUrl" -}}
{{- $url := urlParse .Values.webhookUrl -}}
{{- $host := $url.host | splitList ":" | first -}}
{{- $hosts := (include "n8n-tuned.hosts" . | fromJson).list -}}
{{- if $hosts }}
{{- $reached := "" }}
{{- range $hosts }}
{{- if include "n8n-tuned.hostMatches" (dict "host" $host "pattern" .) }}{{ $reached = "true" }}{{ end }}
{{- end }}
{{- if not $reached }}
{{ include "n8n-tuned.refusal" (dict
  "code" "webhook-url-unrouted"
  "value" (printf "webhookUrl=%s" .Values.webhookUrl)
  "why" (printf "callers would use host %s, but only %s is routed" $host (join ", " $hosts))
  "do" "Add the host to ingress.hosts or gateway.hostnames, or set webhookUrl to a routed host, or remove webhookUrl") }}
{{- else if and (eq $url.scheme "http") (include "n8n-tuned.ingressTls" (dict "context" . "host" $host)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "webhook-url-plain-http"
  "value" (printf "webhookUrl=%s" .Values.webhookUrl)
  "why" (printf "ingress.tls has a certificate for %s, and Ingress controllers redirect plain http to https there" $host)
  "do" (printf "Set webhookUrl=https://%s/, or remove it" $host)) }}
{{- end }}
{{- end }}
{{- end -}}
