{{/* How an n8n pod ends: how long it goes on serving, how long n8n waits for its executions, when it is killed. */}}

{{/* Seconds for which a component goes on serving after it was asked to end. Takes (list root component). */}}
{{- define "n8n-tuned.preStopSeconds" -}}
{{- /* Workers serve nobody; of one main the successor only starts when it has ended. */ -}}
{{- if or (eq (index . 1) "webhook") (and (eq (index . 1) "main") (index . 0).Values.multiMain.enabled) -}}
{{- int (index . 0).Values.gracefulShutdown.preStopSeconds -}}
{{- else -}}
0
{{- end -}}
{{- end -}}

{{/* Seconds for which n8n waits for its executions when it is ended. Below 1.22 main's 30 are fixed (read: 0.221.2). Takes the root. */}}
{{- define "n8n-tuned.shutdownSeconds" -}}
{{- $seconds := int .Values.gracefulShutdown.timeoutSeconds -}}
{{- if include "n8n-tuned.atLeast" (list . "1.22.0") -}}{{- $seconds -}}{{- else -}}{{- max $seconds 30 -}}{{- end -}}
{{- end -}}

{{/* Seconds that a component's pod needs to end. Takes (list root component). */}}
{{- define "n8n-tuned.neededGraceSeconds" -}}
{{- add (include "n8n-tuned.preStopSeconds" .) (include "n8n-tuned.shutdownSeconds" (index . 0)) (index . 0).Values.gracefulShutdown.marginSeconds -}}
{{- end -}}

{{/* Seconds after which Kubernetes kills a component's pod that was asked to end. Takes (list root component). */}}
{{- define "n8n-tuned.graceSeconds" -}}
{{- (index . 0).Values.gracefulShutdown.terminationGracePeriodSeconds | default (include "n8n-tuned.neededGraceSeconds" .) | int -}}
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

{{- define "n8n-tuned.check.shutdown" -}}
{{- $problems := list -}}
{{- $given := .Values.gracefulShutdown.terminationGracePeriodSeconds -}}
{{- if not (kindIs "invalid" $given) -}}
{{- $most := 0 -}}{{- $preStop := 0 -}}
{{- range (include "n8n-tuned.components" . | fromJson).list -}}
{{- $most = max $most (include "n8n-tuned.neededGraceSeconds" (list $ .) | int) -}}
{{- $preStop = max $preStop (include "n8n-tuned.preStopSeconds" (list $ .) | int) -}}
{{- end -}}
{{- if lt (int $given) $most -}}
{{- $problems = append $problems (printf "gracefulShutdown.terminationGracePeriodSeconds=%d is less than%s the %d s that n8n waits for its executions + gracefulShutdown.marginSeconds=%d, so Kubernetes would kill executions that n8n still waits for. Set it to %d or more, or remove it." (int $given) (ternary (printf " gracefulShutdown.preStopSeconds=%d +" $preStop) "" (gt $preStop 0)) (include "n8n-tuned.shutdownSeconds" . | int) (int .Values.gracefulShutdown.marginSeconds) $most) -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}
