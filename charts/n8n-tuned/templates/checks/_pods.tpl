{{/* Refuses additions to pods that collide with each other or with the chart's own volumes and containers, or that go to no pod. */}}

{{- define "n8n-tuned.check.pods" -}}
{{- range $component := list "main" "worker" "webhook" }}
{{- include "n8n-tuned.check.componentPod" (dict "context" $ "component" $component) }}
{{- end }}
{{- end -}}

{{/* One component's pod. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.check.componentPod" -}}
{{- $component := .component -}}
{{- $values := index .context.Values $component -}}
{{- $containers := list "n8n" "runner" "install-packages" "copy-packages" "install-modules" "load-targets" -}}
{{- $taken := dict -}}
{{- range $name := $containers -}}{{- $_ := set $taken $name "the chart" -}}{{- end -}}
{{- range $list := list "extraContainers" "extraInitContainers" }}
{{- range $container := index $values $list }}
{{- with get $taken .name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "container-twice"
  "value" (printf "%s.%s name=%s" $component $list $container.name)
  "why" (printf "%s already has a container of this name in the pod" .)
  "do" "Choose another name") }}
{{- end }}
{{- $_ := set $taken .name (printf "%s.%s" $component $list) }}
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
{{- include "n8n-tuned.check.mountPaths" (dict
  "path" (printf "%s.extraVolumeMounts" $component) "own" (include "n8n-tuned.podVolumeMounts" . | fromYamlArray)
  "mounts" $values.extraVolumeMounts) }}
{{- if include "n8n-tuned.hasRunnerSidecar" . -}}
{{- $own := include "n8n-tuned.runnerVolumeMounts" .context | fromYamlArray -}}
{{- include "n8n-tuned.check.mountPaths" (dict
  "path" "taskRunners.extraVolumeMounts" "own" $own "mounts" .context.Values.taskRunners.extraVolumeMounts) }}
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

{{/*
Mounts at a path where the container has another one. Takes (dict "path" "own" "mounts"): `path` is the name of the list of mounts,
`own` the chart's mounts.
*/}}
{{- define "n8n-tuned.check.mountPaths" -}}
{{- $list := .path -}}
{{- $taken := dict -}}
{{- range .own -}}{{- $_ := set $taken (clean .mountPath) "the chart" -}}{{- end -}}
{{- range $mount := .mounts }}
{{- $path := clean .mountPath }}
{{- with get $taken $path }}
{{ include "n8n-tuned.refusal" (dict
  "code" "mount-path-twice"
  "value" (printf "%s mountPath=%s" $list $mount.mountPath)
  "why" (printf "%s already mounts a volume there, and Kubernetes rejects that" .)
  "do" "Choose another path") }}
{{- end }}
{{- $_ := set $taken $path $list }}
{{- end }}
{{- end -}}
