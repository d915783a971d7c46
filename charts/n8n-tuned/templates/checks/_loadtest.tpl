{{/* Refuses a load test of workflows that are not there, and variables that the chart or k6 own. */}}

{{- define "n8n-tuned.check.loadTest" -}}
{{- $targets := .Values.loadTargets -}}
{{- $test := .Values.loadTest -}}
{{- if $test.enabled }}
{{- if not $targets.enabled }}
{{ include "n8n-tuned.refusal" (dict
  "code" "load-test-without-targets"
  "value" "loadTest.enabled=true"
  "why" "loadTargets.enabled=false leaves no workflow to call"
  "do" "Set loadTargets.enabled=true") }}
{{- else if and (ne $test.script "mix") (not (has $test.script $targets.workflows)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "load-test-without-workflow"
  "value" (printf "loadTest.script=%s" $test.script)
  "why" "loadTargets.workflows does not contain it"
  "do" (printf "Add it there, or choose one of %s" (join ", " $targets.workflows))) }}
{{- end }}
{{- if eq $test.script "mix" }}{{ include "n8n-tuned.check.loadTestMix" . }}{{ end }}
{{- $owned := dict
  "BASE_URL" "Remove it: a load test calls only the Service of this release that serves webhooks"
  "TOKEN" "Set loadTargets.existingSecret instead: values must not contain a token"
  "RATES" "Set loadTest.rates instead"
  "DURATION" "Set loadTest.duration instead"
  "MAX_VUS" "Set loadTest.maxVUs instead" }}
{{- range $name, $_ := $test.env }}
{{- if hasKey $owned $name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "load-test-variable-of-the-chart"
  "value" (printf "loadTest.env.%s" $name)
  "why" "the chart sets this variable itself"
  "do" (get $owned $name)) }}
{{- else if hasPrefix "K6_" $name }}
{{ include "n8n-tuned.refusal" (dict
  "code" "load-test-k6-option"
  "value" (printf "loadTest.env.%s" $name)
  "why" "options of k6 itself would replace those of the script"
  "do" "Remove it") }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The weights of a mix. */}}
{{- define "n8n-tuned.check.loadTestMix" -}}
{{- $workflows := .Values.loadTargets.workflows -}}
{{- $example := `'{"webhook-ack": 3, "webhook-wait": 1}'` -}}
{{- with .Values.loadTest.env.MIX }}
{{- $mix := . }}
{{- range $name, $_ := $mix | toString | fromJson }}
{{- if eq $name "Error" }}
{{ include "n8n-tuned.refusal" (dict
  "code" "mix-not-json"
  "value" (printf "loadTest.env.MIX=%s" $mix)
  "why" "it is not JSON"
  "do" (printf "Set it to weights by workload, for example %s" $example)) }}
{{- else if not (has $name $workflows) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "mix-without-workflow"
  "value" "loadTest.env.MIX"
  "why" (printf "it names %s, which loadTargets.workflows does not contain" $name)
  "do" "Add it there, or remove it from the mix") }}
{{- end }}
{{- end }}
{{- else }}
{{ include "n8n-tuned.refusal" (dict
  "code" "mix-without-weights"
  "value" "loadTest.env.MIX"
  "why" "it is empty, and loadTest.script=mix needs the weight of each workload"
  "do" (printf "Set it, for example to %s" $example)) }}
{{- end }}
{{- end -}}
