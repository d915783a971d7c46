{{/* Peers: the pods of these components of the release. Takes (list root component...). */}}
{{- define "n8n-tuned.componentPeers" -}}
{{- $peers := list -}}
{{- range .components -}}
{{- $labels := include "n8n-tuned.selectorLabels" (dict "context" $.context "component" .) | fromYaml -}}
{{- $peers = append $peers (dict "podSelector" (dict "matchLabels" $labels)) -}}
{{- end -}}
{{- $peers | toJson -}}
{{- end -}}

{{/* Egress rule: names are resolved wherever the cluster does that, on the node too. */}}
{{- define "n8n-tuned.dnsRule" -}}
{{- dict "ports" (list (dict "port" 53 "protocol" "UDP") (dict "port" 53 "protocol" "TCP")) | toJson -}}
{{- end -}}

{{/*
Ingress rules of an n8n component. Everybody may reach main and the webhook processors unless the values name who; the
workers' port serves health and metrics alone. helm test asks every process. Takes (list root component).
*/}}
{{- define "n8n-tuned.n8nIngressRules" -}}
{{- $root := .context -}}
{{- $policy := $root.Values.networkPolicy -}}
{{- $http := list (dict "port" 5678) -}}
{{- if and (ne .component "worker") (not $policy.httpFrom) -}}
{{- list (dict "ports" $http) | toJson -}}
{{- else -}}
{{- $from := concat $policy.metricsFrom (include "n8n-tuned.componentPeers" (dict "context" $root "components" (list "loadtest")) | fromJsonArray) -}}
{{- if ne .component "worker" -}}{{- $from = concat $policy.httpFrom $from -}}{{- end -}}
{{- list (dict "from" $from "ports" $http) | toJson -}}
{{- end -}}
{{- end -}}

{{/*
Egress rules of every n8n process: names, database, queue, and what the values add. What is not embedded is known by its name
alone, which a NetworkPolicy cannot hold, so its port is open to every address.
*/}}
{{- define "n8n-tuned.n8nEgressRules" -}}
{{- $rules := list (include "n8n-tuned.dnsRule" . | fromJson) -}}
{{- if include "n8n-tuned.embedsPostgresql" . -}}
{{- $rules = append $rules (dict "to" (include "n8n-tuned.componentPeers" (dict "context" . "components" (list "postgresql")) | fromJsonArray) "ports" (list (dict "port" 5432))) -}}
{{- else if eq .Values.database.type "postgresql" -}}
{{- $rules = append $rules (dict "ports" (list (dict "port" (int .Values.externalPostgresql.port)))) -}}
{{- end -}}
{{- if eq .Values.executions.mode "queue" -}}
{{- if include "n8n-tuned.embedsRedis" . -}}
{{- $rules = append $rules (dict "to" (include "n8n-tuned.componentPeers" (dict "context" . "components" (list "redis")) | fromJsonArray) "ports" (list (dict "port" 6379))) -}}
{{- else -}}
{{- $ports := list -}}
{{- range splitList "," (include "n8n-tuned.redisCluster" . | default (printf ":%d" (int .Values.externalRedis.port))) -}}
{{- $ports = append $ports (splitList ":" . | last | int) -}}
{{- end -}}
{{- $open := list -}}
{{- range uniq $ports -}}{{- $open = append $open (dict "port" .) -}}{{- end -}}
{{- $rules = append $rules (dict "ports" $open) -}}
{{- end -}}
{{- end -}}
{{- concat $rules .Values.networkPolicy.egress | toJson -}}
{{- end -}}

{{/* One NetworkPolicy, both directions. Takes (list root component ingressRules egressRules annotations). */}}
{{- define "n8n-tuned.networkPolicy" -}}
{{- $root := .context -}}
{{- $component := .component -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "n8n-tuned.componentName" (dict "context" $root "component" $component) }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{ include "n8n-tuned.labels" (dict "context" $root "component" $component) | nindent 4 }}
  {{- with .annotations }}
  annotations: {{ . | nindent 4 }}
  {{- end }}
spec:
  podSelector:
    matchLabels: {{ include "n8n-tuned.selectorLabels" (dict "context" $root "component" $component) | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress: {{ .ingress | fromJsonArray | toYaml | nindent 4 }}
  egress: {{ .egress | fromJsonArray | toYaml | nindent 4 }}
{{- end -}}
