{{/* Refuses additions to pods that collide with the chart's own labels, volumes and containers, or that go to no pod. */}}

{{- define "n8n-tuned.check.pods" -}}
{{- range $component := list "main" "worker" "webhook" }}
{{- include "n8n-tuned.check.componentPod" (dict "context" $ "component" $component) }}
{{- end }}
{{- if and (not .Values.serviceAccount.create) .Values.serviceAccount.annotations }}
{{ include "n8n-tuned.refusal" (dict
  "code" "no-effect"
  "value" "serviceAccount.annotations"
  "why" "it has no effect, because serviceAccount.create=false"
  "do" "Set serviceAccount.create=true, or annotate the existing service account") }}
{{- end }}
{{- end -}}

{{/* One component's pod. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.check.componentPod" -}}
{{- $component := .component -}}
{{- $values := index .context.Values $component -}}
{{- $labels := include "n8n-tuned.podLabels" . | fromYaml -}}
{{- $volumes := list "data" "temporary" "nodes" "npmrc" "runner-tmp" -}}
{{- $containers := list "n8n" "runner" "install-packages" "copy-packages" "load-targets" -}}
{{- range $name := keys $values.podLabels | sortAlpha }}
{{- if hasKey $labels $name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "label-of-the-chart"
  "value" (printf "%s.podLabels %s" $component $name)
  "why" "the chart's objects select their pods by this label"
  "do" "Remove it") }}
{{- end }}
{{- end }}
{{- range $path, $taken := dict "extraVolumes" $volumes "extraContainers" $containers "extraInitContainers" $containers }}
{{- range index $values $path }}
{{- if has .name $taken }}
{{ include "n8n-tuned.refusal" (dict
  "code" "name-of-the-chart"
  "value" (printf "%s.%s name=%s" $component $path .name)
  "why" "the chart already uses this name in the pod"
  "do" "Choose another name") }}
{{- end }}
{{- end }}
{{- end }}
{{- if not (has $component (include "n8n-tuned.components" .context | fromJson).list) }}
{{- $mode := .context.Values.executions.mode }}
{{- $because := printf "executions.mode=%s%s" $mode (ternary " and webhook.replicas=0" "" (eq $mode "queue")) }}
{{- range $list := list "extraEnv" "extraEnvFrom" "extraVolumes" "extraVolumeMounts" "extraContainers" "extraInitContainers" }}
{{- if index $values $list }}
{{ include "n8n-tuned.refusal" (dict
  "code" "no-effect"
  "value" (printf "%s.%s" $component $list)
  "why" (printf "it has no effect, because the release has no %s pods with %s" $component $because)
  "do" "Remove it") }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
