{{/* Refuses an n8n that nobody can reach, or that tells callers an address at which nobody can reach it. */}}

{{- define "n8n-tuned.check.network" -}}
{{- range (include "n8n-tuned.entrances" . | fromJson).list }}
{{- if .ingress }}{{ include "n8n-tuned.check.ingress" . }}{{ end }}
{{- if and (not .ingress) (not .values.parentRefs) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "route-without-gateway"
  "value" (printf "%s.parentRefs" .path)
  "why" (printf "it is empty, so no Gateway serves the HTTPRoute of %s.enabled=true" .path)
  "do" "Set it to your Gateway, for example [{name: public, namespace: gateways}]") }}
{{- end }}
{{- if .webhooks }}
{{- $hosts := .hosts }}
{{- range (include "n8n-tuned.entrances" $ | fromJson).list }}
{{- if not .webhooks }}
{{- range .hosts }}
{{- if has . $hosts }}
{{ include "n8n-tuned.refusal" (dict
  "code" "editor-on-the-host-of-webhooks"
  "value" (printf "webhooks host %s" .)
  "why" "the editor and the API are routed at this host too, so they are as public as the webhooks"
  "do" "Give the editor another host") }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name := list "webhookUrl" "editorUrl" }}
{{- if get $.Values $name }}{{ include "n8n-tuned.check.publicUrl" (dict "context" $ "name" $name) }}{{ end }}
{{- end }}
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

{{/* An Ingress. Takes an entrance (n8n-tuned.entrances). */}}
{{- define "n8n-tuned.check.ingress" -}}
{{- $hosts := .hosts -}}
{{- $path := .path -}}
{{- if not .values.hosts }}
{{ include "n8n-tuned.refusal" (dict
  "code" "ingress-without-host"
  "value" (printf "%s.hosts" $path)
  "why" (printf "it is empty, and %s.enabled=true needs a host to route" $path)
  "do" "Set it to the host names of n8n") }}
{{- end }}
{{- range .values.tls }}
{{- range $certified := .hosts }}
{{- $routed := "" }}
{{- range $hosts }}
{{- if include "n8n-tuned.hostMatches" (dict "host" . "pattern" $certified) }}{{ $routed = "true" }}{{ end }}
{{- end }}
{{- if not $routed }}
{{ include "n8n-tuned.refusal" (dict
  "code" "certificate-of-unrouted-host"
  "value" (printf "%s.tls host %s" $path $certified)
  "why" (printf "%s.hosts does not contain this host, so its certificate has no use" $path)
  "do" (printf "Add the host to %s.hosts, or remove it from %s.tls" $path $path)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A URL that n8n tells callers or users, against the hosts that are routed. Takes (dict "context" "name"). */}}
{{- define "n8n-tuned.check.publicUrl" -}}
{{- $given := get .context.Values .name -}}
{{- $url := urlParse $given -}}
{{- $host := $url.host | splitList ":" | first -}}
{{- $hosts := (include "n8n-tuned.hosts" .context | fromJson).list -}}
{{- $reached := "" }}
{{- range $hosts }}
{{- if include "n8n-tuned.hostMatches" (dict "host" $host "pattern" .) }}{{ $reached = "true" }}{{ end }}
{{- end }}
{{- if and $hosts (not $reached) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "url-unrouted"
  "value" (printf "%s=%s" .name $given)
  "why" (printf "n8n would send others to host %s, but only %s is routed" $host (join ", " $hosts))
  "do" (printf "Add the host to ingress.hosts or gateway.hostnames, or set %s to a routed host, or remove it" .name)) }}
{{- else if and (eq $url.scheme "http") (include "n8n-tuned.ingressTls" (dict "context" .context "host" $host)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "url-plain-http"
  "value" (printf "%s=%s" .name $given)
  "why" (printf "ingress.tls has a certificate for %s, and Ingress controllers redirect plain http to https there" $host)
  "do" (printf "Set %s=https://%s/, or remove it" .name $host)) }}
{{- end }}
{{- end -}}
