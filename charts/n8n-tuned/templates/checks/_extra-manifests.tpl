{{/* Refuses additional objects that are not Kubernetes objects, or that have the name of another one. */}}

{{- define "n8n-tuned.check.extraManifests" -}}
{{- $taken := include "n8n-tuned.workloadsAndServices" . | fromJson -}}
{{- range $index, $entry := .Values.extraManifests }}
{{- $path := printf "extraManifests[%d]" $index }}
{{- if not $entry }}
{{ include "n8n-tuned.refusal" (dict
  "code" "manifest-empty"
  "value" $path
  "why" "it is empty, so it creates nothing"
  "do" "Remove it, or write a Kubernetes object") }}
{{- end }}
{{- range include "n8n-tuned.manifestsOf" (dict "context" $ "entry" $entry) | fromJsonArray }}
{{- $missing := include "n8n-tuned.missingInManifest" . | fromJsonArray }}
{{- if $missing }}
{{ include "n8n-tuned.refusal" (dict
  "code" "manifest-incomplete"
  "value" $path
  "why" (printf "it has no %s, which every Kubernetes object needs" (join ", no " $missing))
  "do" "Add it, or correct the indentation") }}
{{- else if and (kindIs "map" (get . "metadata")) (get .metadata "name") }}
{{- $namespace := .metadata.namespace | default $.Release.Namespace }}
{{- $id := printf "%s %s %s/%s" (splitList "/" .apiVersion | first) .kind $namespace .metadata.name }}
{{- with get $taken $id }}
{{ include "n8n-tuned.refusal" (dict
  "code" "manifest-twice"
  "value" $path
  "why" (printf "%s already has an object of its kind and name, and one would replace the other" .)
  "do" "Choose another name") }}
{{- end }}
{{- $_ := set $taken $id $path }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
The objects of an entry of extraManifests, as a JSON array. A text may render to several documents, or to none. What is no map is
wrapped in one, in which all is missing. Takes (dict "context" "entry").
*/}}
{{- define "n8n-tuned.manifestsOf" -}}
{{- $objects := list -}}
{{- if kindIs "string" .entry -}}
{{- range regexSplit "(?m)^---.*$" (tpl .entry .context) -1 -}}
{{- if regexReplaceAll "(?m)^[ \\t]*#.*$" . "" | trim -}}
{{- $object := fromYaml . -}}
{{- $objects = append $objects (ternary dict $object (hasKey $object "Error")) -}}
{{- end -}}
{{- end -}}
{{- else if .entry -}}
{{- $objects = list .entry -}}
{{- end -}}
{{- toJson $objects -}}
{{- end -}}

{{/* The required fields that a Kubernetes object lacks, as a JSON array of paths. A list of objects needs no name. */}}
{{- define "n8n-tuned.missingInManifest" -}}
{{- $missing := list -}}
{{- range $field := list "apiVersion" "kind" -}}
{{- if not (and (get $ $field) (kindIs "string" (get $ $field))) -}}{{- $missing = append $missing $field -}}{{- end -}}
{{- end -}}
{{- $metadata := get . "metadata" -}}
{{- if and (not (hasSuffix "List" (get . "kind" | toString))) (not (and (kindIs "map" $metadata) (get $metadata "name"))) -}}
{{- $missing = append $missing "metadata.name" -}}
{{- end -}}
{{- toJson $missing -}}
{{- end -}}

{{/* Workloads and Services of the release by group, kind, namespace and name, as JSON. Takes the root context. */}}
{{- define "n8n-tuned.workloadsAndServices" -}}
{{- $ids := dict -}}
{{- $components := (include "n8n-tuned.components" . | fromJson).list -}}
{{- if include "n8n-tuned.embedsPostgresql" . -}}{{- $components = append $components "postgresql" -}}{{- end -}}
{{- if include "n8n-tuned.embedsRedis" . -}}{{- $components = append $components "redis" -}}{{- end -}}
{{- range $components -}}
{{- $name := include "n8n-tuned.componentName" (dict "context" $ "component" .) -}}
{{- $kind := ternary "StatefulSet" "Deployment" (has . (list "postgresql" "redis")) -}}
{{- range $of := list (printf "apps %s" $kind) "v1 Service" -}}
{{- $_ := set $ids (printf "%s %s/%s" $of $.Release.Namespace $name) "the chart" -}}
{{- end -}}
{{- end -}}
{{- toJson $ids -}}
{{- end -}}
