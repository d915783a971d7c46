{{/*
Refuses another size or storage class for a claim of a StatefulSet, which Kubernetes does not change. Seen only where Helm asks
the cluster: on `helm upgrade`, not on `helm template`.
*/}}

{{- define "n8n-tuned.check.claims" -}}
{{- range $component := list "postgresql" "redis" }}
{{- $name := include "n8n-tuned.componentName" (dict "context" $ "component" $component) }}
{{- $persistence := (index $.Values $component).persistence }}
{{- $set := lookup "apps/v1" "StatefulSet" $.Release.Namespace $name }}
{{- $templates := dig "spec" "volumeClaimTemplates" list $set }}
{{- $has := "" }}
{{- with $templates }}{{ $has = dig "spec" "resources" "requests" "storage" "" (first .) }}{{ end }}
{{- $wanted := ternary $persistence.size "" $persistence.enabled }}
{{- if and $set (ne (include "n8n-tuned.mebibytes" $has) (include "n8n-tuned.mebibytes" $wanted)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "claim-of-a-stateful-set"
  "value" (ternary (printf "%s.persistence.size=%s" $component $wanted) (printf "%s.persistence.enabled=false" $component) $persistence.enabled)
  "why" (printf "the StatefulSet %s has %s, and Kubernetes does not change that" $name (empty $has | ternary "no claims" (printf "claims of %s" $has)))
  "do" (printf "%s, or follow UPGRADING.md, \"The size of a volume\""
    (empty $has | ternary "Set persistence.enabled=false" (printf "Set persistence.size=%s" $has)))) }}
{{- end }}
{{- end }}
{{- end -}}
