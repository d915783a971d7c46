{{/* Seconds for which a component goes on serving after it was asked to end. Takes (list root component). */}}
{{- define "n8n-tuned.preStopSeconds" -}}
{{- /* Workers serve nobody; of one main the successor only starts when it has ended. */ -}}
{{- if or (eq .component "webhook") (and (eq .component "main") .context.Values.multiMain.enabled) -}}
{{- int .context.Values.gracefulShutdown.preStopSeconds -}}
{{- else -}}
0
{{- end -}}
{{- end -}}

{{/* Seconds for which n8n waits for its executions when it is ended. Below 1.22 main's 30 are fixed (read: 0.221.2). Takes the root. */}}
{{- define "n8n-tuned.shutdownSeconds" -}}
{{- $seconds := int .Values.gracefulShutdown.timeoutSeconds -}}
{{- if include "n8n-tuned.atLeast" (dict "context" . "version" "1.22.0") -}}{{- $seconds -}}{{- else -}}{{- max $seconds 30 -}}{{- end -}}
{{- end -}}

{{/* Seconds that a component's pod needs to end. Takes (list root component). */}}
{{- define "n8n-tuned.neededGraceSeconds" -}}
{{- add (include "n8n-tuned.preStopSeconds" .) (include "n8n-tuned.shutdownSeconds" .context) .context.Values.gracefulShutdown.marginSeconds -}}
{{- end -}}

{{/* Seconds after which Kubernetes kills a component's pod that was asked to end. Takes (list root component). */}}
{{- define "n8n-tuned.graceSeconds" -}}
{{- .context.Values.gracefulShutdown.terminationGracePeriodSeconds | default (include "n8n-tuned.neededGraceSeconds" .) | int -}}
{{- end -}}

{{/* Field of the n8n container that delays its end, or nothing. Takes (list root component). */}}
{{- define "n8n-tuned.lifecycle" -}}
{{- $seconds := include "n8n-tuned.preStopSeconds" . -}}
{{- if ne $seconds "0" }}
lifecycle:
  # n8n closes its port as soon as it is asked to end, and Service and ingress learn of it at the same moment. The file
  # makes files/hooks.js drain the connections that are open.
  preStop:
    exec:
      command: [sh, -c, touch /tmp/draining; sleep {{ $seconds }}]
{{- end }}
{{- end -}}
