{{/* Refuses what would leave n8n unreachable, or reachable under another address than the one it tells its callers. */}}

{{- define "n8n-tuned.check.network" -}}
{{- $problems := list -}}
{{- $ingress := .Values.ingress -}}
{{- $gateway := .Values.gateway -}}
{{- if and $ingress.enabled (not $ingress.hosts) -}}
{{- $problems = append $problems "ingress.enabled=true, but ingress.hosts is empty, so there is no host to route. Set it to the host names of n8n." -}}
{{- end -}}
{{- if and $gateway.enabled (not $gateway.parentRefs) -}}
{{- $problems = append $problems "gateway.enabled=true, but gateway.parentRefs is empty, so no Gateway would take the route. Set it to your Gateway, like [{name: public, namespace: gateways}]." -}}
{{- end -}}
{{- if $ingress.enabled -}}
{{- range $tls := $ingress.tls -}}
{{- range $name := $tls.hosts -}}
{{- $known := "" -}}
{{- range $ingress.hosts -}}{{- if include "n8n-tuned.hostMatches" (list . $name) -}}{{- $known = "true" -}}{{- end -}}{{- end -}}
{{- if not $known -}}
{{- $problems = append $problems (printf "ingress.tls names the host %s, which ingress.hosts does not have, so its certificate would serve nobody. Add it to ingress.hosts, or remove it." $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .Values.webhookUrl -}}
{{- $url := urlParse .Values.webhookUrl -}}
{{- $host := $url.host | splitList ":" | first -}}
{{- $hosts := (include "n8n-tuned.hosts" . | fromJson).list -}}
{{- if $hosts -}}
{{- $reached := "" -}}
{{- range $hosts -}}{{- if include "n8n-tuned.hostMatches" (list $host .) -}}{{- $reached = "true" -}}{{- end -}}{{- end -}}
{{- if not $reached -}}
{{- $problems = append $problems (printf "webhookUrl=%s would have callers reach %s, which is routed by neither ingress.hosts nor gateway.hostnames (%s). Add it there, or set webhookUrl to one of those, or remove webhookUrl to take the first." .Values.webhookUrl $host (join ", " $hosts)) -}}
{{- end -}}
{{- if and $reached (eq $url.scheme "http") (include "n8n-tuned.ingressTls" (list . $host)) -}}
{{- $problems = append $problems (printf "webhookUrl=%s is plain http, but ingress.tls has a certificate for %s, and Ingress controllers redirect http there. Set webhookUrl=https://%s/, or remove it." .Values.webhookUrl $host $host) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $component := list "main" "webhook" -}}
{{- $service := (index $.Values $component).service -}}
{{- if and (not (kindIs "invalid" $service.nodePort)) (eq $service.type "ClusterIP") -}}
{{- $problems = append $problems (printf "%s.service.nodePort=%d, but %s.service.type=ClusterIP has no node port. Set %s.service.type=NodePort (or LoadBalancer), or remove it." $component (int $service.nodePort) $component $component) -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}
