{{- define "n8n-tuned.filesText" -}}
{{- $mode := include "n8n-tuned.binaryDataMode" . -}}
{{- if eq $mode "s3" -}}
S3, bucket {{ .Values.binaryData.s3.bucket }} (n8n ends if its licence lacks that)
{{- else if eq $mode "database" -}}
in the database
{{- else if eq $mode "filesystem" -}}
on {{ ternary "main's volume" "the pod's own disk: lost with the pod" .Values.main.persistence.enabled }}
{{- else -}}
in memory, with the data of their execution
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.expressionsText" -}}
{{- if eq (include "n8n-tuned.expressionEngine" .) "vm" -}}
{{- $process := ternary "worker" "main" (eq .Values.executions.mode "queue") -}}
vm; {{ $process }} keeps {{ include "n8n-tuned.expressionPool" (dict "context" . "component" $process) }} isolates ready
{{- else if eq .Values.expressionEngine.type "legacy" -}}
legacy: inside n8n itself, which is less safe
{{- else -}}
legacy: n8n {{ include "n8n-tuned.version" . }} evaluates inside itself (vm is n8n's own from 2.35 and 1.123.76 on)
{{- end -}}
{{- end -}}

{{/* How many pods there are, in words: "2", or "1 to 6 (hpa)". Takes (list root component). */}}
{{- define "n8n-tuned.replicasText" -}}
{{- $most := include "n8n-tuned.maxReplicas" . -}}
{{- with include "n8n-tuned.autoscaler" . -}}
{{- printf "%s to %s (%s)" (include "n8n-tuned.minReplicas" $) $most . -}}
{{- else -}}
{{- $most -}}
{{- end -}}
{{- end -}}

{{/* How long a component's pod has to end. Takes (list root component). */}}
{{- define "n8n-tuned.graceText" -}}
{{- $context := .context -}}
{{- $preStop := include "n8n-tuned.preStopSeconds" . -}}
{{- $terms := list -}}
{{- if ne $preStop "0" -}}{{- $terms = append $terms (printf "%s s serving on" $preStop) -}}{{- end -}}
{{- $terms = append $terms (printf "%s s for executions" (include "n8n-tuned.shutdownSeconds" $context)) -}}
{{- $terms = append $terms (printf "%d s margin" (int $context.Values.gracefulShutdown.marginSeconds)) -}}
{{- printf "%s: %s = %s s" .component (join " + " $terms) (include "n8n-tuned.neededGraceSeconds" .) -}}
{{- if ne (include "n8n-tuned.neededGraceSeconds" .) (include "n8n-tuned.graceSeconds" .) -}}
{{- printf ", killed after %s s" (include "n8n-tuned.graceSeconds" .) -}}
{{- end -}}
{{- end -}}
