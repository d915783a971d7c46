{{/* Refuses an n8n that nobody can reach, or that tells callers an address at which nobody can reach it. */}}

{{- define "n8n-tuned.check.network" -}}
{{- range (include "n8n-tuned.entrances" . | fromJson).list }}
{{- if .ingress }}{{ include "n8n-tuned.check.ingress" . }}{{ end }}
{{- if and (not .ingress) (not .values.parentRefs) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "route-without-gateway"
  "value" (printf "%s.parentRefs" .path)
  "why" (printf "it is empty, so no Gateway serves the HTTPRoute of %s.enabled=true" .path)
  "do" "Set it to your Gateway, for example [{name: public, namespace: gateways}]") }}
{{- end }}
{{- if .webhooks }}{{ include "n8n-tuned.check.editorInPublic" (dict "context" $ "public" .) }}{{ end }}
{{- end }}
{{- if and (include "n8n-tuned.entrances" . | fromJson).list (not (include "n8n-tuned.webhookUrl" .)) }}
{{- range (include "n8n-tuned.entrancesOf" (dict "context" . "webhooks" true) | fromJson).list }}
{{- if and (or .ingress .values.parentRefs) (or .hosts (not .ingress)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "webhooks-without-url"
  "value" (printf "%s.%s" .path (ternary "hosts" "hostnames" .ingress))
  "why" "it has no host name without a wildcard, and webhookUrl is empty, so n8n does not know at which address webhooks are public"
  "do" "Add a host name without a wildcard, or set webhookUrl") }}
{{- end }}
{{- end }}
{{- end }}
{{- $entrances := (include "n8n-tuned.entrances" . | fromJson).list }}
{{- $editors := (include "n8n-tuned.entrancesOf" (dict "context" . "webhooks" false) | fromJson).list }}
{{- if and $entrances (not $editors) (include "n8n-tuned.webhookUrl" .) (not .Values.editorUrl) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "editor-without-url"
  "value" (printf "%s.enabled=true" (first $entrances).path)
  "why" "only webhooks are routed, so OAuth callbacks and links in e-mails would lead to their host, which does not serve them"
  "do" "Set editorUrl to the address at which you open the editor, for example http://localhost:5678/ for a port-forward") }}
{{- end }}
{{- range $name := list "webhookUrl" "editorUrl" }}
{{- if get $.Values $name }}{{ include "n8n-tuned.check.publicUrl" (dict "context" $ "name" $name) }}{{ end }}
{{- end }}
{{- include "n8n-tuned.check.routeTimeouts" . }}
{{- end -}}

{{/*
The entrances of the editor that callers of webhooks reach too: at the same host, or at every host. Takes (dict "context" "public"), an
entrance of webhooks.
*/}}
{{- define "n8n-tuned.check.editorInPublic" -}}
{{- $context := .context -}}
{{- $public := .public -}}
{{- range $editor := (include "n8n-tuned.entrancesOf" (dict "context" .context "webhooks" false) | fromJson).list }}
{{- if include "n8n-tuned.sharesProxy" (dict "context" $context "one" $public "other" $editor) }}
{{- if not $editor.hosts }}
{{ include "n8n-tuned.refusal" (dict
  "code" "editor-at-every-host"
  "value" (printf "%s.hostnames" $editor.path)
  "why" (printf "it is empty, so the editor and the API are routed at every host of the Gateways of %s, and as public as they" $public.path)
  "do" "Set it to the host of the editor, or set other parentRefs for it") }}
{{- end }}
{{- range $host := $public.hosts }}
{{- range $pattern := $editor.hosts }}
{{- if include "n8n-tuned.hostMatches" (dict "host" $host "pattern" $pattern) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "editor-on-the-host-of-webhooks"
  "value" (printf "webhooks host %s" $host)
  "why" (printf "%s routes the editor and the API at this host too (%s), so they are as public as the webhooks" $editor.path $pattern)
  "do" "Give the editor another host, or each its own Ingress class or Gateway") }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
Whether one controller may serve two entrances: "true" or "". Not two Ingresses of different classes, nor two HTTPRoutes without a
common listener. The default class may be any. Takes (dict "context" "one" "other").
*/}}
{{- define "n8n-tuned.sharesProxy" -}}
{{- $namespace := .context.Release.Namespace -}}
{{- $one := .one.values -}}
{{- $other := .other.values -}}
{{- if ne .one.ingress .other.ingress -}}true
{{- else if .one.ingress -}}
{{- if or (not $one.className) (not $other.className) (eq ($one.className | toString) ($other.className | toString)) -}}true{{- end -}}
{{- else -}}
{{- $shared := "" -}}
{{- range $a := $one.parentRefs -}}
{{- range $b := $other.parentRefs -}}
{{- $same := and (eq $a.name $b.name) (eq ($a.namespace | default $namespace) ($b.namespace | default $namespace)) -}}
{{- range $part := list "sectionName" "port" -}}
{{- $of := get $a $part | toString -}}
{{- $with := get $b $part | toString -}}
{{- if and (get $a $part) (get $b $part) (ne $of $with) -}}{{- $same = false -}}{{- end -}}
{{- end -}}
{{- if $same -}}{{- $shared = "true" -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $shared -}}
{{- end -}}
{{- end -}}

{{/* Timeouts of the HTTPRoutes. Takes the root context. */}}
{{- define "n8n-tuned.check.routeTimeouts" -}}
{{- with .Values.gateway.timeouts }}
{{- $request := include "n8n-tuned.milliseconds" (.request | default "") | int }}
{{- if and $request (gt (include "n8n-tuned.milliseconds" (.backendRequest | default "") | int) $request) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "backend-timeout-above-request"
  "value" (printf "gateway.timeouts.backendRequest=%s" .backendRequest)
  "why" (printf "it is longer than gateway.timeouts.request=%s, and Kubernetes rejects that" .request)
  "do" "Lower it, or raise gateway.timeouts.request") }}
{{- end }}
{{- end }}
{{- end -}}

{{/* An Ingress. Takes an entrance (n8n-tuned.entrances). */}}
{{- define "n8n-tuned.check.ingress" -}}
{{- $hosts := .hosts -}}
{{- $path := .path -}}
{{- if not .values.hosts }}
{{ include "n8n-tuned.refusal" (dict
  "code" "ingress-without-host"
  "value" (printf "%s.hosts" $path)
  "why" (printf "it is empty, and %s.enabled=true needs a host to route" $path)
  "do" "Set it to the host names of n8n") }}
{{- end }}
{{- range .values.tls }}
{{- range $certified := .hosts }}
{{- $routed := "" }}
{{- range $hosts }}
{{- if include "n8n-tuned.hostMatches" (dict "host" . "pattern" $certified) }}{{ $routed = "true" }}{{ end }}
{{- end }}
{{- if not $routed }}
{{ include "n8n-tuned.refusal" (dict
  "code" "certificate-of-unrouted-host"
  "value" (printf "%s.tls host %s" $path $certified)
  "why" (printf "%s.hosts does not contain this host, so its certificate is unused" $path)
  "do" (printf "Add the host to %s.hosts, or remove it from %s.tls" $path $path)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A URL that n8n tells callers or users, against the hosts that are routed. Takes (dict "context" "name"). */}}
{{- define "n8n-tuned.check.publicUrl" -}}
{{- $given := get .context.Values .name -}}
{{- $url := urlParse $given -}}
{{- $host := $url.host | splitList ":" | first -}}
{{- $webhooks := eq .name "webhookUrl" -}}
{{- $entrances := (include "n8n-tuned.entrances" .context | fromJson).list -}}
{{- $own := (include "n8n-tuned.entrancesOf" (dict "context" .context "webhooks" $webhooks) | fromJson).list -}}
{{- $hosts := list -}}
{{- $open := false -}}
{{- $paths := list -}}
{{- range $own -}}
{{- $hosts = concat $hosts .hosts | uniq -}}
{{- $paths = append $paths (printf "%s.%s" .path (ternary "hosts" "hostnames" .ingress)) -}}
{{- if not .hosts -}}{{- $open = true -}}{{- end -}}
{{- end -}}
{{- $reached := "" }}
{{- range $hosts }}
{{- if include "n8n-tuned.hostMatches" (dict "host" $host "pattern" .) }}{{ $reached = "true" }}{{ end }}
{{- end }}
{{- $elsewhere := "" }}
{{- range $entrances }}
{{- range .hosts }}
{{- if include "n8n-tuned.hostMatches" (dict "host" $host "pattern" .) }}{{ $elsewhere = "true" }}{{ end }}
{{- end }}
{{- end }}
{{- $strict := not .context.Values.acceptUnroutedUrl }}
{{- if and $strict (not $reached) (not $open) (or $hosts $elsewhere) }}
{{- $what := ternary "" (ternary " for webhooks" " for the editor" $webhooks) (eq (len $own) (len $entrances)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "url-unrouted"
  "value" (printf "%s=%s" .name $given)
  "why" (printf "n8n would build URLs with host %s, but %s is routed%s" $host (join ", " $hosts | default "no host") $what)
  "do" (printf "Add the host to %s, or set %s to a routed host, or remove it. If a proxy changes the host: acceptUnroutedUrl=true"
    (join " or " $paths | default "ingress.hosts") .name)) }}
{{- else if and $strict $reached (not (has $url.path (list "" "/"))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "url-with-path"
  "value" (printf "%s=%s" .name $given)
  "why" (printf "n8n is routed at the root of host %s, so it cannot serve requests below %s" $host $url.path)
  "do" (printf "Set %s=%s://%s/, or remove it. If a proxy removes the path: acceptUnroutedUrl=true" .name $url.scheme $url.host)) }}
{{- else if and (eq $url.scheme "http") (include "n8n-tuned.ingressTls" (dict "context" .context "host" $host)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "url-plain-http"
  "value" (printf "%s=%s" .name $given)
  "why" (printf "ingress.tls has a certificate for %s, and Ingress controllers redirect plain http to https there" $host)
  "do" (printf "Set %s=https://%s/, or remove it" .name $host)) }}
{{- end }}
{{- end -}}
