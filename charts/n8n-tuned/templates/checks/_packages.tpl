{{/* Refuses community packages that n8n would not load, or that could differ between pods. */}}

{{- define "n8n-tuned.check.packages" -}}
{{- $packages := .Values.communityPackages -}}
{{- range $packages.install }}
{{- $name := regexFind "^(@[^/@]+/)?[^@/]+" . }}
{{- if not (hasPrefix "n8n-nodes-" (regexReplaceAll "^@[^/]+/" $name "")) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "package-name"
  "value" (printf "communityPackages.install %s" .)
  "why" "n8n loads only packages whose name begins with n8n-nodes-"
  "do" "Remove it") }}
{{- end }}
{{- end }}
{{- include "n8n-tuned.check.exactVersions" (dict "value" "communityPackages.install" "packages" $packages.install) }}
{{- if include "n8n-tuned.fillsNodes" . }}
{{- $switches := list "N8N_COMMUNITY_PACKAGES_ENABLED" "N8N_COMMUNITY_PACKAGES_PREVENT_LOADING" "N8N_UNVERIFIED_PACKAGES_ENABLED" }}
{{- range include "n8n-tuned.extraEnv" (dict "context" . "components" (list "main" "worker" "webhook")) | fromJsonArray }}
{{- if has .name $switches }}
{{ include "n8n-tuned.refusal" (dict
  "code" "packages-switched-off"
  "value" (printf "extraEnv %s" .name)
  "why" "communityPackages sets whether n8n loads packages"
  "do" "Remove it") }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Packages whose version could differ between two pods, and packages that are given twice. Takes (dict "value" "packages"), `value` the list's name. */}}
{{- define "n8n-tuned.check.exactVersions" -}}
{{- $list := .value -}}
{{- $seen := dict -}}
{{- range .packages }}
{{- $name := regexFind "^(@[^/@]+/)?[^@/]+" . }}
{{- if hasKey $seen $name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "package-twice"
  "value" (printf "%s %s" $list .)
  "why" (printf "%s is in the list too, and npm installs one version of a package" (get $seen $name))
  "do" "Remove one of the two") }}
{{- end }}
{{- $_ := set $seen $name . }}
{{- if not (regexMatch "^[0-9]+\\.[0-9]+\\.[0-9]+([-+][0-9A-Za-z.+-]+)?$" (trimPrefix "@" (trimPrefix $name .))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "package-without-version"
  "value" (printf "%s %s" $list .)
  "why" "it has no exact version, so two pods could run different versions"
  "do" (printf "Write an exact version, for example %s@1.2.3" $name)) }}
{{- end }}
{{- end }}
{{- end -}}
