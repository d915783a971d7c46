{{- define "n8n-tuned.check.load" -}}
{{- $problems := list -}}
{{- $targets := .Values.loadTargets -}}
{{- $test := .Values.loadTest -}}
{{- if $targets.enabled -}}
{{- if not (.Files.Get "files/n8n-nodes-tuned.json") -}}
{{- $problems = append $problems "loadTargets.enabled=true, but this chart folder lacks the node package (files/n8n-nodes-tuned.json), which is built and not committed. Run `make build` or `npm run build:node`." -}}
{{- end -}}
{{- $because := dict
  "EXTERNAL_HOOK_FILES" "load targets are activated and deleted by an external hook of their own. Remove one of the two."
  "N8N_COMMUNITY_PACKAGES_ENABLED" "load targets are built on a community node, and the chart sets it to true. Remove it."
  "NODES_INCLUDE" "n8n would then load no other node than those. Remove it." -}}
{{- range concat .Values.extraEnv .Values.main.extraEnv .Values.worker.extraEnv .Values.webhook.extraEnv -}}
{{- if hasPrefix "N8N_LOAD_TARGET_" .name -}}
{{- $problems = append $problems (printf "extraEnv sets %s, which is what loadTargets.ceilings is for. Use that." .name) -}}
{{- else if hasKey $because .name -}}
{{- $problems = append $problems (printf "loadTargets.enabled=true and extraEnv sets %s: %s" .name (get $because .name)) -}}
{{- end -}}
{{- end -}}
{{- else -}}
{{- if $targets.existingSecret -}}
{{- $problems = append $problems (printf "loadTargets.existingSecret=%s would have no effect, since loadTargets.enabled=false. Remove it, or change that." $targets.existingSecret) -}}
{{- end -}}
{{- end -}}
{{- if $test.enabled -}}
{{- if not $targets.enabled -}}
{{- $problems = append $problems "loadTest.enabled=true, but loadTargets.enabled=false leaves nothing to drive. Set loadTargets.enabled=true." -}}
{{- else if and (ne $test.script "mix") (not (has $test.script $targets.workflows)) -}}
{{- $problems = append $problems (printf "loadTest.script=%s, but loadTargets.workflows lacks it. Add it there, or choose one of %s." $test.script (join ", " $targets.workflows)) -}}
{{- end -}}
{{- if and (eq $test.script "mix") (not $test.env.MIX) -}}
{{- $problems = append $problems "loadTest.script=mix needs the weights of its workloads. Set loadTest.env.MIX, such as '{\"webhook-ack\": 3, \"webhook-wait\": 1}'." -}}
{{- end -}}
{{- if and (eq $test.script "mix") $test.env.MIX -}}
{{- range $name, $_ := $test.env.MIX | toString | fromJson -}}
{{- if eq $name "Error" -}}
{{- $problems = append $problems (printf "loadTest.env.MIX=%s is not JSON. Set it to weights of workloads, such as '{\"webhook-ack\": 3, \"webhook-wait\": 1}'." $test.env.MIX) -}}
{{- else if not (has $name $targets.workflows) -}}
{{- $problems = append $problems (printf "loadTest.env.MIX names %s, but loadTargets.workflows lacks it. Add it there, or take it out of the mix." $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $owned := dict
  "BASE_URL" "nothing; a load test calls the Service of this release that serves webhooks, and nothing else"
  "TOKEN" "loadTargets.existingSecret (a token does not belong into values)"
  "RATES" "loadTest.rates"
  "DURATION" "loadTest.duration"
  "MAX_VUS" "loadTest.maxVUs" -}}
{{- range $name, $_ := $test.env -}}
{{- if hasKey $owned $name -}}
{{- $problems = append $problems (printf "loadTest.env sets %s, which the chart sets itself. Use instead: %s." $name (get $owned $name)) -}}
{{- else if hasPrefix "K6_" $name -}}
{{- $problems = append $problems (printf "loadTest.env sets %s: k6's own settings would replace those of the script. Remove it." $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}
