{{/* What contradicts in expressions, files of executions, timeouts and the log. */}}

{{- define "n8n-tuned.check.environment" -}}
{{- $problems := list -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $queue := eq .Values.executions.mode "queue" -}}

{{- with .Values.expressionEngine -}}
{{- if and (eq .type "legacy") (not .acceptLessSafe) (semverCompare (index (include "n8n-tuned.envTable" $ | fromYaml) "N8N_EXPRESSION_ENGINE").sets $version) -}}
{{- $problems = append $problems (printf "expressionEngine.type=legacy evaluates the expressions of workflows inside n8n %s itself, where one that breaks out has n8n's secrets. Set expressionEngine.acceptLessSafe=true if whoever writes workflows may have them, or expressionEngine.type=vm." $version) -}}
{{- else if and (eq .type "legacy") .poolSize -}}
{{- $problems = append $problems (printf "expressionEngine.poolSize=%d would have no effect, since expressionEngine.type=legacy has no isolates. Remove one of the two." (int .poolSize)) -}}
{{- end -}}
{{- end -}}

{{- with .Values.executions -}}
{{- if and .timeoutSeconds (gt (int .timeoutSeconds) (int .maxTimeoutSeconds)) -}}
{{- $problems = append $problems (printf "executions.timeoutSeconds=%d is more than executions.maxTimeoutSeconds=%d, which n8n would take in its place. Lower the one, or raise the other." (int .timeoutSeconds) (int .maxTimeoutSeconds)) -}}
{{- end -}}
{{- end -}}

{{- if and (eq .Values.logging.format "json") (not (include "n8n-tuned.reads" (list . "N8N_LOG_FORMAT"))) -}}
{{- $problems = append $problems (printf "logging.format=json: n8n %s writes text alone (json came with 1.99). Set logging.format=text, or image.tag to 1.99.0 or newer." $version) -}}
{{- end -}}

{{- if and (eq (toString .Values.proxyHops | int) 0 | not) (not (kindIs "invalid" .Values.proxyHops)) (not (include "n8n-tuned.reads" (list . "N8N_PROXY_HOPS"))) -}}
{{- $problems = append $problems (printf "proxyHops=%d: n8n %s does not read it (it came with 1.27). Remove it, or set image.tag to 1.27.0 or newer." (int .Values.proxyHops) $version) -}}
{{- end -}}

{{- $mode := .Values.binaryData.mode -}}
{{- $s3 := .Values.binaryData.s3 -}}
{{- if and (eq (toString $mode) "filesystem") $queue -}}
{{- $problems = append $problems "binaryData.mode=filesystem keeps a file on the disk of the process that made it, and in queue mode others must read it. Set binaryData.mode=database or s3, or remove it." -}}
{{- end -}}
{{- if and (eq (toString $mode) "database") (not (include "n8n-tuned.atLeast" (list . "1.123.0"))) -}}
{{- $problems = append $problems (printf "binaryData.mode=database: n8n %s has no such mode (it came with 1.123). Set binaryData.mode=%s, or image.tag to 1.123.0 or newer." $version (ternary "default" "filesystem" $queue)) -}}
{{- end -}}
{{- if eq (toString $mode) "s3" -}}
{{- if not (include "n8n-tuned.reads" (list . "N8N_EXTERNAL_STORAGE_S3_BUCKET_NAME")) -}}
{{- $problems = append $problems (printf "binaryData.mode=s3: n8n %s does not know S3 (it came with 1.27). Set another binaryData.mode, or image.tag to 1.27.0 or newer." $version) -}}
{{- else -}}
{{- $missing := list -}}
{{- range $name := list "host" "bucket" "region" -}}{{- if not (index $s3 $name) -}}{{- $missing = append $missing (printf "binaryData.s3.%s" $name) -}}{{- end -}}{{- end -}}
{{- if $missing -}}
{{- $problems = append $problems (printf "binaryData.mode=s3 needs to know where the bucket is, and %s %s empty. Set %s." (join ", " $missing) (ternary "is" "are" (eq (len $missing) 1)) (ternary "it" "them" (eq (len $missing) 1))) -}}
{{- end -}}
{{- if and (not $s3.existingSecret) (not (include "n8n-tuned.reads" (list . "N8N_EXTERNAL_STORAGE_S3_AUTH_AUTO_DETECT"))) -}}
{{- $problems = append $problems (printf "binaryData.s3.existingSecret is empty, and n8n %s does not take what the pod's service account gives (that came with 1.114). Set it to the Secret that holds the access key, or image.tag to 1.114.0 or newer." $version) -}}
{{- end -}}
{{- if and (eq $s3.protocol "http") (not (include "n8n-tuned.reads" (list . "N8N_EXTERNAL_STORAGE_S3_PROTOCOL"))) -}}
{{- $problems = append $problems (printf "binaryData.s3.protocol=http: n8n %s speaks https alone (http came with 1.95). Remove it, or set image.tag to 1.95.0 or newer." $version) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- $problems | toJson -}}
{{- end -}}
