{{/* Nodes that n8n does not load with hardening.enabled: files/excluded-nodes.yaml says which and why. */}}

{{/* All nodes that this n8n must not load, with why, as JSON by type. Takes the root context. */}}
{{- define "n8n-tuned.hardening.unsafeNodes" -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $holds := dict
  "runners" (eq .Values.taskRunners.mode "external")
  "sqlite" (eq .Values.database.type "sqlite") -}}
{{- $unsafe := dict -}}
{{- range $type, $row := (.Files.Get "files/excluded-nodes.yaml" | fromYaml).excluded -}}
{{- $isSafe := or (get $holds ($row.unless | default "")) (and $row.if (not (get $holds $row.if))) -}}
{{- if and (semverCompare ($row.versions | default "*") $version) (not $isSafe) -}}{{- $_ := set $unsafe $type $row.why -}}{{- end -}}
{{- end -}}
{{- toJson $unsafe -}}
{{- end -}}

{{/* The nodes to exclude, as a JSON list of types: all of them but those that the values allow. Takes the root context. */}}
{{- define "n8n-tuned.hardening.excludedNodes" -}}
{{- $types := keys (include "n8n-tuned.hardening.unsafeNodes" . | fromJson) | sortAlpha -}}
{{- range .Values.hardening.allowedNodes -}}{{- $types = without $types . -}}{{- end -}}
{{- toJson $types -}}
{{- end -}}
