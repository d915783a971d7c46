{{/* Texts of NOTES.txt that take more than one value. */}}

{{/* The database in one line. */}}
{{- define "n8n-tuned.notes.database" -}}
{{- if eq .Values.database.type "sqlite" -}}
SQLite on {{ ternary "main's volume" "the pod's own disk (lost with the pod)" .Values.main.persistence.enabled }}
{{- else if include "n8n-tuned.embedsPostgresql" . -}}
embedded PostgreSQL (for evaluation: one replica, no backup)
{{- else -}}
PostgreSQL at {{ .Values.externalPostgresql.host | default "the host in its Secret" }}
{{- end -}}
{{- end -}}

{{/* The queue in one line. */}}
{{- define "n8n-tuned.notes.queue" -}}
{{- if include "n8n-tuned.embedsRedis" . -}}
embedded Redis (for evaluation: one replica)
{{- else if include "n8n-tuned.redisCluster" . -}}
Redis Cluster at {{ include "n8n-tuned.redisCluster" . }}
{{- else -}}
Redis at {{ .Values.externalRedis.host }}
{{- end -}}
{{- end -}}

{{/* Where binary data is stored, in one line. */}}
{{- define "n8n-tuned.notes.binaryData" -}}
{{- $mode := include "n8n-tuned.binaryDataMode" . -}}
{{- if eq $mode "s3" -}}
S3, bucket {{ .Values.binaryData.s3.bucket }} (n8n exits if its licence does not include S3)
{{- else if eq $mode "database" -}}
in the database
{{- else if eq $mode "filesystem" -}}
on {{ ternary "main's volume" "the pod's own disk (lost with the pod)" .Values.main.persistence.enabled }}
{{- else -}}
in memory, with the data of their execution
{{- end -}}
{{- end -}}

{{/* How expressions are evaluated, in one line. */}}
{{- define "n8n-tuned.notes.expressions" -}}
{{- if eq (include "n8n-tuned.expressionEngine" .) "vm" -}}
{{- $process := ternary "worker" "main" (eq .Values.executions.mode "queue") -}}
vm; {{ $process }} keeps {{ include "n8n-tuned.expressionPool" (dict "context" . "component" $process) }} isolates ready
{{- else if eq .Values.expressionEngine.type "legacy" -}}
legacy: in n8n's own process, which is less safe
{{- else -}}
legacy: n8n {{ include "n8n-tuned.version" . }} has no other engine (vm is the default from 2.35 and 1.123.76 on)
{{- end -}}
{{- end -}}

{{/* That the editor is as public as the webhooks, where one proxy may serve both; or "". Takes the root context. */}}
{{- define "n8n-tuned.notes.sharedProxies" -}}
{{- $pairs := list -}}
{{- range $editor := (include "n8n-tuned.entrancesOf" (dict "context" . "webhooks" false) | fromJson).list -}}
{{- range $public := (include "n8n-tuned.entrances" $ | fromJson).list -}}
{{- if and $public.webhooks (include "n8n-tuned.sharesProxy" (dict "context" $ "one" $public "other" $editor)) -}}
{{- $pairs = append $pairs (printf "%s and %s" $editor.path $public.path) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $pairs -}}
One proxy may serve {{ join ", " $pairs }}: who reaches it for webhooks reaches the editor and the API too, by asking for
their host. To keep these private, give them another Ingress class or Gateway, or let the proxy refuse foreign addresses.
{{- end -}}
{{- end -}}

{{/* How many pods a component has: "2", or "1 to 6 (hpa)". Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.notes.replicas" -}}
{{- $most := include "n8n-tuned.maxReplicas" . -}}
{{- with include "n8n-tuned.autoscaler" . -}}
{{- printf "%s to %s (%s)" (include "n8n-tuned.minReplicas" $) $most . -}}
{{- else -}}
{{- $most -}}
{{- end -}}
{{- end -}}

{{/* The database connections, against those of the server. */}}
{{- define "n8n-tuned.notes.connections" -}}
{{- $c := include "n8n-tuned.connections" . | fromJson -}}
{{- include "n8n-tuned.connectionSum" . -}}
{{- if $c.max }},
               of {{ $c.value }}={{ int $c.max }} less {{ int $c.reserved }} reserved = {{ int $c.room }}
{{- $ending := mul (add $c.workers $c.webhooks) $c.pool | int }}
{{- if gt (add (int $c.sum) $ending) (int $c.room) }};
               pods that are ending may keep up to {{ $ending }} more: {{ $c.value }}={{ add (int $c.sum) $ending (int $c.reserved) }} has room for them
{{- end }}
{{- else }};
               not checked, because {{ $c.value }} is empty
{{- end -}}
{{- end -}}

{{/* How long a component's pod may take to stop. Takes (dict "context" "component"). */}}
{{- define "n8n-tuned.notes.grace" -}}
{{- $preStop := include "n8n-tuned.preStopSeconds" . -}}
{{- $needed := include "n8n-tuned.neededGraceSeconds" . -}}
{{- $given := include "n8n-tuned.graceSeconds" . -}}
{{- $terms := list
  (printf "%s s for executions" (include "n8n-tuned.shutdownSeconds" .))
  (printf "%d s margin" (int .context.Values.gracefulShutdown.marginSeconds)) -}}
{{- if ne $preStop "0" -}}{{- $terms = prepend $terms (printf "%s s still serving" $preStop) -}}{{- end -}}
{{- printf "%s: %s = %s s" .component (join " + " $terms) $needed -}}
{{- if ne $needed $given -}}{{- printf ", killed after %s s" $given -}}{{- end -}}
{{- end -}}

{{/* The memory of all containers, one line each. */}}
{{- define "n8n-tuned.notes.memory" -}}
{{- $format := "  %-10s %7s %10s %13s %10s" -}}
{{- range (include "n8n-tuned.components" . | fromJson).list }}
{{- $component := dict "context" $ "component" . }}
{{- $heap := include "n8n-tuned.heap" $component | fromJson }}
{{ printf $format . (include "n8n-tuned.notes.mebibytes" (dict "mebibytes" $heap.limit "none" "none"))
  (include "n8n-tuned.notes.mebibytes" (dict "mebibytes" $heap.n8n "none" "-"))
  (include "n8n-tuned.notes.mebibytes" (dict "mebibytes" $heap.runner "none" "-"))
  (ternary (toString (int $heap.headroom)) "-" $.Values.heap.enabled) }}
{{- if include "n8n-tuned.hasRunnerSidecar" $component }}
{{- $sidecar := include "n8n-tuned.sidecarHeap" $component | fromJson }}
{{ printf $format "- runner" (include "n8n-tuned.notes.mebibytes" (dict "mebibytes" $sidecar.limit "none" "none")) "-"
  (include "n8n-tuned.notes.mebibytes" (dict "mebibytes" $sidecar.heap "none" "-"))
  (ternary (toString (int $sidecar.headroom)) "-" $.Values.heap.enabled) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A number of MiB, or the word for 0. Takes (dict "mebibytes" "none"). */}}
{{- define "n8n-tuned.notes.mebibytes" -}}
{{- ternary (toString (int .mebibytes)) .none (gt (int .mebibytes) 0) -}}
{{- end -}}

{{/* How to call the load targets, and how to remove them. */}}
{{- define "n8n-tuned.notes.loadTargets" -}}
{{- $kubectl := printf "kubectl --namespace %s" .Release.Namespace -}}
{{- $token := include "n8n-tuned.loadTargets.tokenRef" . | fromYaml -}}
{{- $template := printf "{{index .data %s | base64decode}}" ($token.key | quote) -}}
{{- $component := ternary "webhook" "main" (has "webhook" (include "n8n-tuned.components" . | fromJson).list) -}}
{{- $of := dict "context" . "component" $component -}}
Load targets are on: anyone with their token can put load on this n8n, up to the ceilings. In production, switch them off after
the test. The workflows: {{ join ", " .Values.loadTargets.workflows }}.

  TOKEN=$({{ $kubectl }} get secret {{ $token.name }} -o go-template='{{ $template }}')
  {{ $kubectl }} port-forward service/{{ include "n8n-tuned.componentName" $of }} 5680:{{ include "n8n-tuned.servicePort" $of }} &
  curl --header "x-load-target-token: $TOKEN" http://localhost:5680/webhook/{{ first .Values.loadTargets.workflows }}

loadTargets.enabled=false restarts main, which then deletes the workflows, their executions and the credential.
{{- if .Values.loadTest.enabled }}

A load test is running ({{ .Values.loadTest.script }}). See its results:

{{- if gt (int .Values.loadTest.parallelism) 1 }}

  {{ $kubectl }} get testruns
{{- else }}
{{- $selector := printf "app.kubernetes.io/instance=%s,app.kubernetes.io/component=loadtest,job-name" .Release.Name }}

  {{ $kubectl }} logs --follow --selector {{ $selector }}
{{- end }}
{{- end }}
{{- end -}}

{{/* How many requests to production paths are under way at once, in one line; "" without a limit. */}}
{{- define "n8n-tuned.notes.requests" -}}
{{- range $component := list "webhook" "main" -}}
{{- $of := dict "context" $ "component" $component -}}
{{- if and (has $component (include "n8n-tuned.components" $ | fromJson).list) (include "n8n-tuned.admits" $of) -}}
{{- $where := ternary "each webhook processor" "main" (eq $component "webhook") -}}
{{- $overload := include "n8n-tuned.overload" $of | fromJson -}}
at most {{ int $overload.most }} at once in {{ $where }}, {{ int $.Values.overload.queue }} more wait, the rest get 503 with Retry-After
{{- if and $overload.limit (gt (max (int $overload.most) (int $overload.slots)) (int $overload.fit)) }};
               its memory holds {{ int $overload.fit }} of {{ int $overload.each }} MiB each
               {{- if gt (int $overload.slots) (int $overload.most) }}, and {{ int $overload.slots }} execution slots are available to each process{{ end }}:
               set {{ $component }}.resources.limits.memory to {{ int $overload.needed }}Mi, or overload.requestMegabytes to what your requests take
{{- end }}
{{- end -}}
{{- end -}}
{{- end -}}
