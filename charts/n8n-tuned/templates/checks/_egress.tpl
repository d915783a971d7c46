{{/* Refuses rules of networkPolicy.egress that contradict other values. */}}

{{- define "n8n-tuned.check.egress" -}}
{{- $policy := .Values.networkPolicy -}}
{{- if $policy.enabled }}
{{- if not $policy.egress }}
{{- $needs := dict
  "communityPackages.install" .Values.communityPackages.install
  "codeNodes.modules" .Values.codeNodes.modules
  "binaryData.mode=s3" (include "n8n-tuned.usesS3" .)
  "license" (or .Values.license.existingSecret .Values.license.file) }}
{{- $hosts := dict
  "binaryData.mode=s3" "the bucket"
  "license" "n8n's licence server, without which main does not start with several mains" }}
{{- range $path, $given := $needs }}
{{- if $given }}
{{ include "n8n-tuned.refusal" (dict
  "code" "no-egress"
  "value" "networkPolicy.egress=[]"
  "why" (printf "it lets n8n's pods reach nothing but database and queue, and %s needs %s" $path
    (get $hosts $path | default "a registry, without which the pods never start"))
  "do" "Add a rule for that host, for example [{to: [{ipBlock: {cidr: 192.0.2.10/32}}], ports: [{port: 443}]}]") }}
{{- end }}
{{- end }}
{{- end }}
{{- if $policy.denyMetadata }}
{{- $metadata := include "n8n-tuned.metadataBlocks" "" | fromJsonArray }}
{{- range $rule, $of := $policy.egress }}
{{- range $peer, $to := $of.to }}
{{- $isAddress := and $to.ipBlock (hasSuffix (ternary "/128" "/32" (contains ":" $to.ipBlock.cidr)) $to.ipBlock.cidr) }}
{{- if and $isAddress (include "n8n-tuned.blocksIn" (dict "block" $to.ipBlock.cidr "blocks" $metadata) | fromJsonArray) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "metadata-denied"
  "value" (printf "networkPolicy.egress[%d].to[%d].ipBlock.cidr=%s" $rule $peer $to.ipBlock.cidr)
  "why" "at this address a cloud gives away the credentials of the node, and networkPolicy.denyMetadata=true"
  "do" "Remove it, or set networkPolicy.denyMetadata=false") }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
