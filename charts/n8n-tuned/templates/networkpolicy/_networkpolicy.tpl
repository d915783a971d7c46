{{/* Parts of the NetworkPolicies. Lists are JSON, each entry as a NetworkPolicy has it. */}}

{{/* Peers: the pods of components of the release. Takes (dict "context" "components"). */}}
{{- define "n8n-tuned.componentPeers" -}}
{{- $peers := list -}}
{{- range .components -}}
{{- $labels := include "n8n-tuned.selectorLabels" (dict "context" $.context "component" .) | fromYaml -}}
{{- $peers = append $peers (dict "podSelector" (dict "matchLabels" $labels)) -}}
{{- end -}}
{{- $peers | toJson -}}
{{- end -}}

{{/* KEDA in its usual namespace, as a list of peers. */}}
{{- define "n8n-tuned.kedaPeers" -}}
{{- list (dict "namespaceSelector" (dict "matchLabels" (dict "kubernetes.io/metadata.name" "keda"))) | toJson -}}
{{- end -}}

{{/*
Egress rule for DNS, to every address: some clusters resolve names on the node. OpenShift's servers listen on 5353, and a policy
sees the port of the pod (read: openshift/cluster-dns-operator, daemonset.yaml).
*/}}
{{- define "n8n-tuned.dnsRule" -}}
{{- $ports := list -}}
{{- range $port := list 53 5353 -}}
{{- $ports = concat $ports (list (dict "port" $port "protocol" "UDP") (dict "port" $port "protocol" "TCP")) -}}
{{- end -}}
{{- dict "ports" $ports | toJson -}}
{{- end -}}

{{/*
Ingress rules of an n8n component. Every address may reach main and the webhook processors unless the values restrict it. The
port of workers serves only health checks and metrics. `helm test` calls every process. Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.n8nIngressRules" -}}
{{- $policy := .context.Values.networkPolicy -}}
{{- $http := list (dict "port" 5678) -}}
{{- if and (ne .component "worker") (not $policy.httpFrom) -}}
{{- list (dict "ports" $http) | toJson -}}
{{- else -}}
{{- $testers := include "n8n-tuned.componentPeers" (dict "context" .context "components" (list "loadtest")) | fromJsonArray -}}
{{- $from := concat ($policy.metricsFrom | default list) $testers -}}
{{- if ne .component "worker" -}}{{- $from = concat ($policy.httpFrom | default list) $from -}}{{- end -}}
{{- if and (eq .component "main") .context.Values.rescue.enabled -}}
{{- $from = concat $from (include "n8n-tuned.componentPeers" (dict "context" .context "components" (list "rescue")) | fromJsonArray) -}}
{{- end -}}
{{- if and (eq .component "webhook") (eq (include "n8n-tuned.autoscaler" .) "keda") -}}
{{- $from = concat $from (include "n8n-tuned.kedaPeers" . | fromJsonArray) -}}
{{- end -}}
{{- list (dict "from" $from "ports" $http) | toJson -}}
{{- end -}}
{{- end -}}

{{/*
Egress rules of every n8n process: DNS, database, queue, and the rules of the values. External servers are known only by
their names, which a NetworkPolicy cannot contain, so their ports are open to every address unless the values give their addresses.
*/}}
{{- define "n8n-tuned.n8nEgressRules" -}}
{{- $rules := list (include "n8n-tuned.dnsRule" . | fromJson) -}}
{{- if include "n8n-tuned.embedsPostgresql" . -}}
{{- $postgresql := include "n8n-tuned.componentPeers" (dict "context" . "components" (list "postgresql")) | fromJsonArray -}}
{{- $rules = append $rules (dict "to" $postgresql "ports" (list (dict "port" 5432))) -}}
{{- else if eq .Values.database.type "postgresql" -}}
{{- $rules = append $rules (include "n8n-tuned.serverRule" (dict
  "peers" .Values.networkPolicy.postgresqlTo "ports" (list (int .Values.externalPostgresql.port))) | fromJson) -}}
{{- end -}}
{{- if eq .Values.executions.mode "queue" -}}
{{- if include "n8n-tuned.embedsRedis" . -}}
{{- $redis := include "n8n-tuned.componentPeers" (dict "context" . "components" (list "redis")) | fromJsonArray -}}
{{- $rules = append $rules (dict "to" $redis "ports" (list (dict "port" 6379))) -}}
{{- else -}}
{{- $ports := list -}}
{{- range splitList "," (include "n8n-tuned.redisCluster" . | default (printf ":%d" (int .Values.externalRedis.port))) -}}
{{- $ports = append $ports (splitList ":" . | last | int) -}}
{{- end -}}
{{- $rules = append $rules (include "n8n-tuned.serverRule" (dict
  "peers" .Values.networkPolicy.redisTo "ports" (uniq $ports)) | fromJson) -}}
{{- end -}}
{{- end -}}
{{- range .Values.networkPolicy.egress -}}
{{- $rules = append $rules (include "n8n-tuned.egressRule" (dict
  "context" $ "rule" . "denyPrivate" $.Values.networkPolicy.denyPrivate) | fromJson) -}}
{{- end -}}
{{- toJson $rules -}}
{{- end -}}

{{/* Egress rule for an external server. Takes (dict "peers" "ports"): no peers are every address. */}}
{{- define "n8n-tuned.serverRule" -}}
{{- $ports := list -}}
{{- range .ports -}}{{- $ports = append $ports (dict "port" .) -}}{{- end -}}
{{- $rule := dict "ports" $ports -}}
{{- if .peers -}}{{- $_ := set $rule "to" .peers -}}{{- end -}}
{{- toJson $rule -}}
{{- end -}}

{{/*
An egress rule of the values, without the addresses that it must not open: with networkPolicy.denyMetadata those of the clouds' metadata
services, which give the credentials of the node to any pod; with "denyPrivate" the non-public blocks, where
a wider block contains them. The values may still name one of them. Takes (dict "context" "rule" "denyPrivate").
*/}}
{{- define "n8n-tuned.egressRule" -}}
{{- $rule := deepCopy .rule -}}
{{- $denied := list -}}
{{- if .denyPrivate -}}{{- $denied = include "n8n-tuned.privateBlocks" "" | fromJsonArray -}}{{- end -}}
{{- if .context.Values.networkPolicy.denyMetadata -}}
{{- $denied = concat $denied (include "n8n-tuned.metadataBlocks" "" | fromJsonArray) -}}
{{- end -}}
{{- if $denied -}}
{{- $to := list -}}
{{- range .rule.to | default (include "n8n-tuned.everywhere" . | fromJsonArray) -}}
{{- $to = append $to (include "n8n-tuned.peerWithout" (dict "peer" . "denied" $denied) | fromJson) -}}
{{- end -}}
{{- $_ := set $rule "to" $to -}}
{{- end -}}
{{- toJson $rule -}}
{{- end -}}

{{/* A peer of the values without some blocks of addresses. Takes (dict "peer" "denied"). */}}
{{- define "n8n-tuned.peerWithout" -}}
{{- $peer := .peer -}}
{{- with .peer.ipBlock -}}
{{- $except := .except | default list -}}
{{- $bits := include "n8n-tuned.blockBits" .cidr -}}
{{- range $block := include "n8n-tuned.blocksIn" (dict "block" .cidr "blocks" $.denied) | fromJsonArray -}}
{{- $excepted := ternary "true" "" (eq $bits (include "n8n-tuned.blockBits" $block)) -}}
{{- range $except -}}
{{- if include "n8n-tuned.blocksIn" (dict "block" . "blocks" (list $block)) | fromJsonArray -}}{{- $excepted = "true" -}}{{- end -}}
{{- end -}}
{{- if not $excepted -}}{{- $except = append $except $block -}}{{- end -}}
{{- end -}}
{{- if $except -}}{{- $peer = dict "ipBlock" (dict "cidr" .cidr "except" $except) -}}{{- end -}}
{{- end -}}
{{- toJson $peer -}}
{{- end -}}

{{/*
Peers that are every address and every pod: some networks do not count pods among addresses. With "denyPrivate" no pod: they have private
addresses.
*/}}
{{- define "n8n-tuned.everywhere" -}}
{{- $peers := list (dict "ipBlock" (dict "cidr" "0.0.0.0/0")) (dict "ipBlock" (dict "cidr" "::/0")) -}}
{{- if not .denyPrivate -}}{{- $peers = append $peers (dict "namespaceSelector" dict) -}}{{- end -}}
{{- toJson $peers -}}
{{- end -}}

{{/*
A NetworkPolicy for both directions. Takes (dict "context" "component" "ingress" "egress"), both lists of rules, and
"annotations" if there are any.
*/}}
{{- define "n8n-tuned.networkPolicy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{- include "n8n-tuned.metadata" (pick . "context" "component" "annotations") | nindent 2 }}
spec:
  podSelector:
    matchLabels: {{- include "n8n-tuned.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress: {{- toYaml .ingress | nindent 4 }}
  egress: {{- toYaml .egress | nindent 4 }}
{{- end -}}
