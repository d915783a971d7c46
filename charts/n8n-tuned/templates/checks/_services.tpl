{{/* Refuses Services that Kubernetes rejects, and metrics that a Service gives to the public. */}}

{{- define "n8n-tuned.check.services" -}}
{{- range $component := (include "n8n-tuned.components" . | fromJson).list }}
{{- if ne $component "worker" }}
{{- include "n8n-tuned.check.service" (dict "context" $ "component" $component) }}
{{- end }}
{{- end }}
{{- if regexMatch "^[0-9]" (include "n8n-tuned.fullname" .) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "release-begins-with-digit"
  "value" (printf "release %s" .Release.Name)
  "why" "its Services would have names that begin with a digit, and Kubernetes below 1.34 rejects those"
  "do" "Give the release a name that begins with a letter, or set fullnameOverride") }}
{{- end }}
{{- $port := .Values.webhook.service.nodePort }}
{{- if and $port (include "n8n-tuned.hasWebhookProcessors" .) (eq (toString $port) (toString .Values.main.service.nodePort)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "node-port-twice"
  "value" (printf "webhook.service.nodePort=%d" (int $port))
  "why" "main.service.nodePort is the same, and a port of the nodes leads to one Service"
  "do" "Set another port, or remove one of the two") }}
{{- end }}
{{- end -}}

{{/* The Service of a component. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.check.service" -}}
{{- $component := .component -}}
{{- $service := (index .context.Values $component).service -}}
{{- $port := $service.nodePort -}}
{{- if not (kindIs "invalid" $port) }}
{{- if eq $service.type "ClusterIP" }}
{{ include "n8n-tuned.refusal" (dict
  "code" "node-port-of-cluster-ip"
  "value" (printf "%s.service.nodePort=%d" $component (int $port))
  "why" (printf "a Service of %s.service.type=ClusterIP has no node port" $component)
  "do" (printf "Set %s.service.type=NodePort or LoadBalancer, or remove it" $component)) }}
{{- else if or (lt (int $port) 30000) (gt (int $port) 32767) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "node-port-out-of-range"
  "value" (printf "%s.service.nodePort=%d" $component (int $port))
  "why" "Kubernetes gives a Service only the node ports 30000 to 32767"
  "do" (printf "Set one of these, or remove it. %s.service.port is the port that clients in the cluster and the load balancer use" $component)) }}
{{- end }}
{{- end }}
{{- if ne $service.type "LoadBalancer" }}
{{- range $name := list "loadBalancerClass" "loadBalancerSourceRanges" }}
{{- if get $service $name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "load-balancer-of-another-type"
  "value" (printf "%s.service.%s" $component $name)
  "why" (printf "a Service of %s.service.type=%s has no load balancer" $component $service.type)
  "do" (printf "Set %s.service.type=LoadBalancer, or remove it" $component)) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and $service.externalTrafficPolicy (eq $service.type "ClusterIP") }}
{{ include "n8n-tuned.refusal" (dict
  "code" "traffic-policy-of-cluster-ip"
  "value" (printf "%s.service.externalTrafficPolicy=%s" $component $service.externalTrafficPolicy)
  "why" (printf "a Service of %s.service.type=ClusterIP takes no connections from outside" $component)
  "do" (printf "Set %s.service.type=NodePort or LoadBalancer, or remove it" $component)) }}
{{- end }}
{{- include "n8n-tuned.check.publicMetrics" . }}
{{- end -}}

{{/*
Metrics that anyone could read. The hooks refuse them only to what came through a proxy (hooks/admission/hide-metrics), and n8n does not
ask who reads them. Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.check.publicMetrics" -}}
{{- $metrics := .context.Values.metrics -}}
{{- $service := (index .context.Values .component).service -}}
{{- $serves := or (eq .component "main") (include "n8n-tuned.atLeast" (dict "context" .context "version" "2.27.0")) -}}
{{- if and $metrics.enabled (not $metrics.public) $serves }}
{{- $closed := and (eq $service.type "LoadBalancer") $service.loadBalancerSourceRanges }}
{{- range $service.loadBalancerSourceRanges }}{{- if hasSuffix "/0" . }}{{ $closed = false }}{{ end }}{{- end }}
{{- if and (ne $service.type "ClusterIP") (not $closed) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "metrics-in-public"
  "value" (printf "%s.service.type=%s" .component $service.type)
  "why" "everybody who reaches this Service could read /metrics, and metrics.public=false"
  "do" (printf "Set %s.service.type=ClusterIP with an Ingress in front of it, or %smetrics.public=true" .component
    (ternary (printf "%s.service.loadBalancerSourceRanges, or " .component) "" (eq $service.type "LoadBalancer")))) }}
{{- end }}
{{- end }}
{{- end -}}
