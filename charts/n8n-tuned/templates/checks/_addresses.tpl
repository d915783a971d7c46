{{/* Refuses malformed blocks of addresses, and exceptions outside their block. Kubernetes rejects both. */}}

{{- define "n8n-tuned.check.addresses" -}}
{{- $policy := .Values.networkPolicy -}}
{{- $lists := dict -}}
{{- range $name := list "httpFrom" "metricsFrom" "redisFrom" -}}
{{- $_ := set $lists (printf "networkPolicy.%s" $name) (get $policy $name | default list) -}}
{{- end -}}
{{- range $index, $rule := $policy.egress -}}
{{- $_ := set $lists (printf "networkPolicy.egress[%d].to" $index) $rule.to -}}
{{- end -}}
{{- range $path, $peers := $lists }}
{{- range $index, $peer := $peers }}
{{- if and $peer.ipBlock (gt (len $peer) 1) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "block-with-selector"
  "value" (printf "%s[%d]" $path $index)
  "why" "a peer is a block of addresses or selects pods, and Kubernetes rejects both in one"
  "do" "Write two peers") }}
{{- end }}
{{- with $peer.ipBlock }}
{{- $block := include "n8n-tuned.blockBits" .cidr }}
{{- include "n8n-tuned.check.block" (dict "path" (printf "%s[%d].ipBlock.cidr" $path $index) "cidr" .cidr) }}
{{- range $at, $except := .except }}
{{- $value := printf "%s[%d].ipBlock.except[%d]" $path $index $at }}
{{- $bits := include "n8n-tuned.blockBits" $except }}
{{- include "n8n-tuned.check.block" (dict "path" $value "cidr" $except) }}
{{- if or (not (hasPrefix $block $bits)) (eq $block $bits) (ne (contains ":" $except) (contains ":" $peer.ipBlock.cidr)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "except-outside-block"
  "value" (printf "%s=%s" $value $except)
  "why" (printf "it is not within %s, and Kubernetes rejects that" $peer.ipBlock.cidr)
  "do" "Remove it, or correct one of the two") }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- range $component := list "main" "webhook" }}
{{- range $index, $cidr := (index $.Values $component).service.loadBalancerSourceRanges }}
{{- include "n8n-tuned.check.block" (dict "path" (printf "%s.service.loadBalancerSourceRanges[%d]" $component $index) "cidr" $cidr) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* One block. That of IPv4 is checked by its format. Takes (dict "path" "cidr"). */}}
{{- define "n8n-tuned.check.block" -}}
{{- if not (include "n8n-tuned.addressBits" (splitList "/" .cidr | first)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "block-malformed"
  "value" (printf "%s=%s" .path .cidr)
  "why" "an IPv6 address has eight groups of hexadecimal digits, of which :: stands for the zeros in one place"
  "do" "Correct it, for example 2001:db8::/32") }}
{{- end }}
{{- end -}}
