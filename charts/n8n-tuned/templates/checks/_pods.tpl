{{/* Refuses additions to pods that collide with the chart's own labels, volumes and containers, or that go to no pod. */}}

{{- define "n8n-tuned.check.pods" -}}
{{- range $component := list "main" "worker" "webhook" }}
{{- include "n8n-tuned.check.componentPod" (dict "context" $ "component" $component) }}
{{- end }}
{{- if hasKey (.Values.securityContext.container | default dict) "readOnlyRootFilesystem" }}
{{ include "n8n-tuned.refusal" (dict
  "code" "read-only-root"
  "value" "securityContext.container.readOnlyRootFilesystem"
  "why" "every root file system is read-only, and volumes are mounted where programs write"
  "do" "Remove it, and mount a volume with extraVolumes and extraVolumeMounts where something else writes") }}
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
{{- $containers := list "n8n" "runner" "install-packages" "copy-packages" "install-modules" "load-targets" -}}
{{- range $name := keys ($values.podLabels | default dict) | sortAlpha }}
{{- if hasKey $labels $name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "label-of-the-chart"
  "value" (printf "%s.podLabels %s" $component $name)
  "why" "the chart's objects select their pods by this label"
  "do" "Remove it") }}
{{- end }}
{{- end }}
{{- range $path, $taken := dict "extraContainers" $containers "extraInitContainers" $containers }}
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
{{- include "n8n-tuned.check.podVolumes" . }}
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

{{/*
Names of volumes and paths of mounts that are taken, and mounts of volumes that the pod does not have. Takes (dict "context"
"component").
*/}}
{{- define "n8n-tuned.check.podVolumes" -}}
{{- $component := .component -}}
{{- $values := index .context.Values $component -}}
{{- $volumes := dict -}}
{{- range include "n8n-tuned.podVolumes" . | fromYamlArray }}
{{- if hasKey $volumes .name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "volume-twice"
  "value" (printf "taskRunners.extraVolumes name=%s" .name)
  "why" "the pod of a sidecar already has a volume of this name"
  "do" "Choose another name") }}
{{- end }}
{{- $_ := set $volumes .name "the chart" }}
{{- end }}
{{- range $volume := $values.extraVolumes }}
{{- with get $volumes .name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "volume-twice"
  "value" (printf "%s.extraVolumes name=%s" $component $volume.name)
  "why" (printf "%s already has a volume of this name in the pod" .)
  "do" "Choose another name") }}
{{- end }}
{{- $_ := set $volumes .name (printf "%s.extraVolumes" $component) }}
{{- end }}
{{- $paths := dict -}}
{{- range include "n8n-tuned.podVolumeMounts" . | fromYamlArray -}}{{- $_ := set $paths (clean .mountPath) "the chart" -}}{{- end -}}
{{- range $mount := $values.extraVolumeMounts }}
{{- $path := clean .mountPath }}
{{- with get $paths $path }}
{{ include "n8n-tuned.refusal" (dict
  "code" "mount-path-twice"
  "value" (printf "%s.extraVolumeMounts mountPath=%s" $component $mount.mountPath)
  "why" (printf "%s already mounts a volume there, and Kubernetes rejects that" .)
  "do" "Choose another path") }}
{{- end }}
{{- $_ := set $paths $path (printf "%s.extraVolumeMounts" $component) }}
{{- end }}
{{- $mounts := dict (printf "%s.extraVolumeMounts" $component) $values.extraVolumeMounts -}}
{{- if include "n8n-tuned.hasRunnerSidecar" . -}}
{{- $_ := set $mounts "taskRunners.extraVolumeMounts" .context.Values.taskRunners.extraVolumeMounts -}}
{{- end -}}
{{- range $list := list "extraContainers" "extraInitContainers" }}
{{- range index $values $list }}
{{- $_ := set $mounts (printf "%s.%s name=%s volumeMounts" $component $list .name) .volumeMounts }}
{{- end }}
{{- end }}
{{- range $path, $list := $mounts }}
{{- range $list }}
{{- if not (hasKey $volumes .name) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "mount-without-volume"
  "value" (printf "%s name=%s" $path .name)
  "why" "the pod has no volume of this name"
  "do" (printf "Add it to %s.extraVolumes" (splitList "." $path | first))) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
