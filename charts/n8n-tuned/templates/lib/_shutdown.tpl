{{/* How an n8n pod stops: how long it keeps serving, how long n8n waits for executions, when Kubernetes kills it. */}}

{{/*
Seconds for which a component keeps serving after Kubernetes starts to stop it. 0 for workers, which take no requests, and
for a single main, whose successor starts only after it has ended. Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.preStopSeconds" -}}
{{- $values := .context.Values -}}
{{- if or (eq .component "webhook") (and (eq .component "main") $values.multiMain.enabled) -}}
{{- int $values.gracefulShutdown.preStopSeconds -}}
{{- else -}}
0
{{- end -}}
{{- end -}}

{{/*
Seconds for which a component's n8n waits for running executions after SIGTERM. Below 1.22 main always waits 30 (read: 0.221.2).
Takes (dict "context" "component").
*/}}
{{- define "n8n-tuned.shutdownSeconds" -}}
{{- $own := (index .context.Values .component).shutdownTimeoutSeconds -}}
{{- $seconds := ternary .context.Values.gracefulShutdown.timeoutSeconds $own (kindIs "invalid" $own) | int -}}
{{- if include "n8n-tuned.atLeast" (dict "context" .context "version" "1.22.0") -}}{{- $seconds -}}{{- else -}}{{- max $seconds 30 -}}{{- end -}}
{{- end -}}

{{/* Seconds that a component's pod needs to stop. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.neededGraceSeconds" -}}
{{- $margin := .context.Values.gracefulShutdown.marginSeconds -}}
{{- add (include "n8n-tuned.preStopSeconds" .) (include "n8n-tuned.shutdownSeconds" .) $margin -}}
{{- end -}}

{{/* Seconds after which Kubernetes kills a component's pod that is still stopping. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.graceSeconds" -}}
{{- $given := .context.Values.gracefulShutdown.terminationGracePeriodSeconds -}}
{{- $given | default (include "n8n-tuned.neededGraceSeconds" .) | int -}}
{{- end -}}

{{/* The field of the n8n container that delays SIGTERM, or "". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.lifecycle" -}}
{{- $seconds := include "n8n-tuned.preStopSeconds" . -}}
{{- if ne $seconds "0" -}}
lifecycle:
  # n8n closes its port on SIGTERM, but Service and ingress learn only then that the pod is stopping. The file makes
  # the hook drain-connections end the open connections.
  preStop:
    exec:
      command: [sh, -c, touch /tmp/draining; sleep {{ $seconds }}]
{{- end -}}
{{- end -}}
