{{/* Public vulnerabilities of n8n, from files/advisories.yaml. n8n-capacity says the same of a version (capacity/src/chart/advisories.ts). */}}

{{/* The n8n version with its pre-release, which comes before the release that fixes something. */}}
{{- define "n8n-tuned.fullVersion" -}}
{{- $given := include "n8n-tuned.givenVersion" . -}}
{{- if regexMatch (include "n8n-tuned.versionPattern" .) $given -}}{{- trimPrefix "v" $given -}}{{- else -}}{{- .Chart.AppVersion -}}{{- end -}}
{{- end -}}

{{/*
What is known of a version, as JSON: `date` of the list, `isNewer` than the list, `known` (the rows that affect it with `fixedIn`,
the worst first), `withoutLogin` (how many of them need none). Takes (dict "list" "version"): the file as YAML, and a version.
*/}}
{{- define "n8n-tuned.advisoriesFor" -}}
{{- $version := semver .version -}}
{{- $affecting := list -}}
{{- range $row := .list.advisories -}}
{{- range $row.affected -}}
{{- if and (ge ($version.Compare (semver (index . 0))) 0) (lt ($version.Compare (semver (index . 1))) 0) -}}
{{- $affecting = append $affecting (merge (dict "fixedIn" (index . 1)) $row) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $known := list -}}
{{- $withoutLogin := 0 -}}
{{- /* Nearly every account of n8n edits workflows, so these two are one. */ -}}
{{- range $needs := list (list "none") (list "link") (list "login" "editor") (list "admin") -}}
{{- range $severity := list "critical" "high" "medium" "low" "unrated" -}}
{{- range $affecting -}}
{{- if and (has .needs $needs) (eq .severity $severity) -}}
{{- $known = append $known . -}}
{{- if eq .needs "none" -}}{{- $withoutLogin = add1 $withoutLogin -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $isNewer := true -}}
{{- $ofMajor := dict -}}
{{- range .list.newest -}}
{{- $newest := semver . -}}
{{- $_ := set $ofMajor (toString $newest.Major) $newest -}}
{{- if lt $version.Major $newest.Major -}}{{- $isNewer = false -}}{{- end -}}
{{- end -}}
{{- with get $ofMajor (toString $version.Major) -}}{{- $isNewer = gt ($version.Compare .) 0 -}}{{- end -}}
{{- toJson (dict "date" .list.date "isNewer" $isNewer "known" $known "withoutLogin" $withoutLogin) -}}
{{- end -}}

{{/* What NOTES say of the version of the release. */}}
{{- define "n8n-tuned.notes.advisories" -}}
{{- $version := include "n8n-tuned.fullVersion" . -}}
{{- $list := .Files.Get "files/advisories.yaml" | fromYaml -}}
{{- $found := include "n8n-tuned.advisoriesFor" (dict "list" $list "version" $version) | fromJson -}}
{{- if $found.isNewer }}
n8n {{ $version }} is newer than the list of {{ $found.date }}: look for records that are newer.
{{- end }}
{{- with $found.known }}
{{- $needs := dict "none" "no login" "link" "the address of a waiting execution" "login" "an account"
  "editor" "an account that edits workflows" "admin" "an administrator" }}
{{- $holes := ternary "vulnerability" "vulnerabilities" (eq (len .) 1) }}
{{- $open := int $found.withoutLogin }}
n8n {{ $version }} has {{ len . }} known {{ $holes }} (list of {{ $found.date }}), {{ $open | default "none" }} without a login. The worst:
{{- range slice . 0 (min 3 (len .) | int) }}

  {{ .id }}{{ if ne .severity "unrated" }} ({{ .severity }}){{ end }}: {{ .title }}.
  {{- with .where }}
  Only where {{ . }}.
  {{- end }}
  Needs {{ get $needs .needs }}. Fixed in {{ .fixedIn }}: set image.tag.
  {{- with .do }} Until then: {{ . }}.{{ end }}
{{- end }}
{{- else }}
No known vulnerability affects n8n {{ $version }} (list of {{ $found.date }}).
{{- end }}
{{- end -}}
