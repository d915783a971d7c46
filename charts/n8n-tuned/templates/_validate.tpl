{{/* Refuses values that contradict each other or n8n, all at once: each with the value, the reason and what would do. */}}

{{- define "n8n-tuned.validate" -}}
{{- $problems := list -}}
{{- range $check := list "version" "executions" "database" "redis" "unused" "heap" "resources" "shutdown" "connections" "extraEnv" "environment" "network" "monitoring" "pods" "scaling" "runners" "multiMain" "packages" "load" -}}
{{- $problems = concat $problems (include (printf "n8n-tuned.check.%s" $check) $ | fromJsonArray) -}}
{{- end -}}
{{- if $problems -}}
{{- $lines := list -}}
{{- range $problems -}}{{- $lines = append $lines (printf "n8n-tuned: %s" .) -}}{{- end -}}
{{- fail (printf "\n%s" (join "\n" $lines)) -}}
{{- end -}}
{{- end -}}

{{/* Each check gives a JSON list of sentences. */}}

{{- define "n8n-tuned.check.version" -}}
{{- $problems := list -}}
{{- $given := include "n8n-tuned.givenVersion" . -}}
{{- $name := ternary "image.version" "image.tag" (ne .Values.image.version "") -}}
{{- if not (regexMatch (include "n8n-tuned.versionPattern" .) $given) -}}
{{- $problems = append $problems (printf "%s=%s is not a version, and environment, probes and heap depend on which n8n it is. Set image.version to the n8n in the image, like %s." $name $given .Chart.AppVersion) -}}
{{- end -}}
{{- $pattern := include "n8n-tuned.versionPattern" . -}}
{{- if and .Values.image.version (regexMatch $pattern .Values.image.version) (regexMatch $pattern .Values.image.tag) (ne (trimPrefix "v" .Values.image.version) (trimPrefix "v" .Values.image.tag)) -}}
{{- $problems = append $problems (printf "image.version=%s and image.tag=%s name two versions, and the image has one. Remove image.version; it is for tags that are no version." .Values.image.version .Values.image.tag) -}}
{{- end -}}
{{- if and .Values.image.digest (not .Values.image.tag) (not .Values.image.version) -}}
{{- $problems = append $problems (printf "image.digest does not say which n8n it is, and environment, probes and heap depend on it. Set image.version to the n8n in the image, like %s." .Chart.AppVersion) -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}

{{- define "n8n-tuned.check.executions" -}}
{{- $problems := list -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $queue := eq .Values.executions.mode "queue" -}}
{{- if eq .Values.executions.process "own" -}}
{{- if include "n8n-tuned.atLeast" (list . "1.27.0") -}}
{{- $problems = append $problems (printf "executions.process=own was removed in n8n 1.27.0, and n8n %s ends with exit code -1 when it is set. Set executions.mode=queue to keep executions out of the main process, or image.tag below 1.27." $version) -}}
{{- else if $queue -}}
{{- $problems = append $problems "executions.process=own has no effect in queue mode: workers run the executions, and only manual ones would still be forked. Set executions.process=main, or executions.mode=regular." -}}
{{- end -}}
{{- end -}}
{{- if not (kindIs "invalid" .Values.executions.concurrencyLimit) -}}
{{- if $queue -}}
{{- $problems = append $problems (printf "executions.concurrencyLimit=%d would override --concurrency of every worker in queue mode. Remove it and set worker.concurrency." (int .Values.executions.concurrencyLimit)) -}}
{{- else if not (include "n8n-tuned.atLeast" (list . "1.48.0")) -}}
{{- $problems = append $problems (printf "executions.concurrencyLimit=%d: n8n %s does not read it (it came with 1.48). Remove it, or set image.tag to 1.48.0 or newer." (int .Values.executions.concurrencyLimit) $version) -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}

{{- define "n8n-tuned.check.database" -}}
{{- $problems := list -}}
{{- $external := .Values.externalPostgresql -}}
{{- $enabled := .Values.postgresql.enabled -}}
{{- $postgresql := eq .Values.database.type "postgresql" -}}
{{- if and (eq .Values.executions.mode "queue") (not $postgresql) -}}
{{- $problems = append $problems "database.type=sqlite is a file that one process writes, and in queue mode main, workers and webhook processors share the database. Set database.type=postgresql (embedded, or yours by externalPostgresql.host); what SQLite holds is not moved." -}}
{{- else if not $postgresql -}}
{{- if and (kindIs "bool" $enabled) $enabled -}}
{{- $problems = append $problems "postgresql.enabled=true, but database.type=sqlite would leave that PostgreSQL unused. Set database.type=postgresql, or remove postgresql.enabled." -}}
{{- end -}}
{{- if $external.host -}}
{{- $problems = append $problems (printf "externalPostgresql.host=%s, but database.type=sqlite would not use it. Set database.type=postgresql, or remove externalPostgresql.host." $external.host) -}}
{{- end -}}
{{- else -}}
{{- if and (kindIs "bool" $enabled) $enabled $external.host -}}
{{- $problems = append $problems (printf "postgresql.enabled=true and externalPostgresql.host=%s name two databases, and n8n has one. Remove one of the two." $external.host) -}}
{{- else if and (kindIs "bool" $enabled) (not $enabled) (not $external.host) -}}
{{- $problems = append $problems "postgresql.enabled=false leaves database.type=postgresql without a server. Set externalPostgresql.host, or remove postgresql.enabled." -}}
{{- end -}}
{{- if and $external.host (not $external.existingSecret) -}}
{{- $problems = append $problems (printf "externalPostgresql.existingSecret is empty, so n8n has no password for %s. Set it to the Secret that holds the password under the key %s." $external.host $external.existingSecretKey) -}}
{{- end -}}
{{- with $external.tls -}}
{{- $files := and .existingSecret (or .caKey .certKey .keyKey) -}}
{{- if and $external.host .enabled .rejectUnauthorized (not $files) (not (include "n8n-tuned.reads" (list $ "DB_POSTGRESDB_SSL_ENABLED"))) -}}
{{- $problems = append $problems (printf "externalPostgresql.tls.enabled=true: n8n %s is not known to read DB_POSTGRESDB_SSL_ENABLED and could connect in plain text. Set externalPostgresql.tls.existingSecret to a Secret with the server's authority, externalPostgresql.tls.enabled=false, or image.tag to 1.18.0 or newer." (include "n8n-tuned.version" $)) -}}
{{- end -}}
{{- if and .existingSecret (not $files) -}}
{{- $problems = append $problems (printf "externalPostgresql.tls.existingSecret=%s is given, but none of its keys. Set externalPostgresql.tls.caKey, or certKey and keyKey." .existingSecret) -}}
{{- end -}}
{{- if ne (empty .certKey) (empty .keyKey) -}}
{{- $problems = append $problems "externalPostgresql.tls.certKey and externalPostgresql.tls.keyKey are two halves of one client certificate, and one of them is given. Set both, or none." -}}
{{- end -}}
{{- if and (not .existingSecret) (or .certKey .keyKey) -}}
{{- $problems = append $problems "externalPostgresql.tls.certKey and keyKey name keys of externalPostgresql.tls.existingSecret, which is empty. Set it to the Secret that holds the client certificate." -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}

{{- define "n8n-tuned.check.unused" -}}
{{- $problems := list -}}
{{- $embedsPostgresql := eq (include "n8n-tuned.embedsPostgresql" .) "true" -}}
{{- $embedsRedis := eq (include "n8n-tuned.embedsRedis" .) "true" -}}
{{- $unused := list
  (dict "name" "postgresql.existingSecret" "value" .Values.postgresql.existingSecret "used" $embedsPostgresql "because" "no PostgreSQL is embedded")
  (dict "name" "externalPostgresql.existingSecret" "value" .Values.externalPostgresql.existingSecret "used" (ne .Values.externalPostgresql.host "") "because" "externalPostgresql.host is empty")
  (dict "name" "externalPostgresql.tls.existingSecret" "value" .Values.externalPostgresql.tls.existingSecret "used" .Values.externalPostgresql.tls.enabled "because" "externalPostgresql.tls.enabled=false")
  (dict "name" "redis.existingSecret" "value" .Values.redis.existingSecret "used" $embedsRedis "because" "no Redis is embedded")
  (dict "name" "externalRedis.existingSecret" "value" .Values.externalRedis.existingSecret "used" (include "n8n-tuned.externalRedis" .) "because" "externalRedis.host is empty")
  (dict "name" "externalRedis.prefix" "value" .Values.externalRedis.prefix "used" (include "n8n-tuned.externalRedis" .) "because" "externalRedis.host is empty")
  (dict "name" "externalRedis.tls.serverName" "value" .Values.externalRedis.tls.serverName "used" .Values.externalRedis.tls.enabled "because" "externalRedis.tls.enabled=false")
  (dict "name" "binaryData.s3.bucket" "value" .Values.binaryData.s3.bucket "used" (eq (include "n8n-tuned.binaryDataMode" .) "s3") "because" "binaryData.mode is not s3")
  (dict "name" "main.persistence.existingClaim" "value" .Values.main.persistence.existingClaim "used" .Values.main.persistence.enabled "because" "main.persistence.enabled=false") -}}
{{- range $unused -}}
{{- if and .value (not .used) -}}
{{- $problems = append $problems (printf "%s=%s would have no effect, since %s. Remove it, or change that." .name .value .because) -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}

{{- define "n8n-tuned.check.redis" -}}
{{- $problems := list -}}
{{- $external := .Values.externalRedis -}}
{{- $given := include "n8n-tuned.externalRedis" . -}}
{{- $enabled := .Values.redis.enabled -}}
{{- if ne .Values.executions.mode "queue" -}}
{{- if and (kindIs "bool" $enabled) $enabled -}}
{{- $problems = append $problems "redis.enabled=true, but executions.mode=regular would leave that Redis unused. Set executions.mode=queue, or remove redis.enabled." -}}
{{- end -}}
{{- if $given -}}
{{- $problems = append $problems (printf "%s, but executions.mode=regular would not use it. Set executions.mode=queue, or remove %s." $given (regexFind "^[^=]+" $given)) -}}
{{- end -}}
{{- else -}}
{{- if and (kindIs "bool" $enabled) $enabled $given -}}
{{- $problems = append $problems (printf "redis.enabled=true and %s name two queues, and n8n has one. Remove one of the two." $given) -}}
{{- else if and (kindIs "bool" $enabled) (not $enabled) (not $given) -}}
{{- $problems = append $problems "redis.enabled=false leaves queue mode without a queue. Set externalRedis.host, or remove redis.enabled." -}}
{{- end -}}
{{- if and $external.host $external.cluster.nodes -}}
{{- $problems = append $problems (printf "externalRedis.host=%s would not be used, since externalRedis.cluster.nodes says where the Redis Cluster is. Remove one of the two." $external.host) -}}
{{- end -}}
{{- if $external.cluster.nodes -}}
{{- if not (include "n8n-tuned.reads" (list . "QUEUE_BULL_REDIS_CLUSTER_NODES")) -}}
{{- $problems = append $problems (printf "externalRedis.cluster.nodes: n8n %s does not know Redis Cluster (it came with 1.2). Set externalRedis.host to a Redis that is no cluster, or image.tag to 1.2.0 or newer." (include "n8n-tuned.version" .)) -}}
{{- end -}}
{{- if $external.database -}}
{{- $problems = append $problems (printf "externalRedis.database=%d: a Redis Cluster has database 0 alone. Remove it; where two n8n share the cluster, give each its externalRedis.prefix." (int $external.database)) -}}
{{- end -}}
{{- end -}}
{{- if and $given $external.tls.enabled -}}
{{- if not (include "n8n-tuned.reads" (list . "QUEUE_BULL_REDIS_TLS")) -}}
{{- $problems = append $problems (printf "externalRedis.tls.enabled=true: n8n %s does not read QUEUE_BULL_REDIS_TLS (it came with 1.6). Set externalRedis.tls.enabled=false, or image.tag to 1.6.0 or newer." (include "n8n-tuned.version" .)) -}}
{{- else if not (include "n8n-tuned.reads" (list . "QUEUE_BULL_REDIS_TLS_VALIDATE_CERTIFICATE")) -}}
{{- if not $external.tls.rejectUnauthorized -}}
{{- $problems = append $problems (printf "externalRedis.tls.rejectUnauthorized=false: n8n %s always checks the certificate (not to came with 2.30). Set caCertificates.existingSecret to the authority that signed it, or image.tag to 2.30.0 or newer." (include "n8n-tuned.version" .)) -}}
{{- end -}}
{{- if $external.tls.serverName -}}
{{- $problems = append $problems (printf "externalRedis.tls.serverName=%s: n8n %s does not read it (it came with 2.30). Set externalRedis.host to that name, or image.tag to 2.30.0 or newer." $external.tls.serverName (include "n8n-tuned.version" .)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}

{{- define "n8n-tuned.check.heap" -}}
{{- $problems := list -}}
{{- range (include "n8n-tuned.components" . | fromJson).list -}}
{{- $problems = concat $problems ((include "n8n-tuned.heap" (list $ .) | fromJson).problems) -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}

{{- define "n8n-tuned.check.resources" -}}
{{- $problems := list -}}
{{- $components := (include "n8n-tuned.components" . | fromJson).list -}}
{{- if include "n8n-tuned.embedsPostgresql" . -}}{{- $components = append $components "postgresql" -}}{{- end -}}
{{- if include "n8n-tuned.embedsRedis" . -}}{{- $components = append $components "redis" -}}{{- end -}}
{{- range $components -}}
{{- $resources := index $.Values . "resources" | default dict -}}
{{- $request := include "n8n-tuned.mebibytes" (dig "requests" "memory" "" $resources) -}}
{{- $limit := include "n8n-tuned.mebibytes" (dig "limits" "memory" "" $resources) -}}
{{- if or (eq $request "0") (eq $limit "0") -}}
{{- $name := ternary "limits" "requests" (eq $limit "0") -}}
{{- $problems = append $problems (printf "%s.resources.%s.memory=%v is less than 1 MiB, as it counts bytes. Write the unit, as in 2Gi." . $name (index $resources $name "memory")) -}}
{{- else if and $request $limit (gt (int $request) (int $limit)) -}}
{{- $problems = append $problems (printf "%s.resources.requests.memory (%s MiB) is more than %s.resources.limits.memory (%s MiB), which Kubernetes does not accept. Lower the request, or raise the limit." . $request . $limit) -}}
{{- end -}}
{{- $requestCpu := include "n8n-tuned.millicores" (dig "requests" "cpu" "" $resources) -}}
{{- $limitCpu := include "n8n-tuned.millicores" (dig "limits" "cpu" "" $resources) -}}
{{- if and $requestCpu $limitCpu (gt (int $requestCpu) (int $limitCpu)) -}}
{{- $problems = append $problems (printf "%s.resources.requests.cpu (%sm) is more than %s.resources.limits.cpu (%sm), which Kubernetes does not accept. Lower the request, or raise the limit." . $requestCpu . $limitCpu) -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}

{{- define "n8n-tuned.check.extraEnv" -}}
{{- $problems := list -}}
{{- $owned := include "n8n-tuned.ownedEnv" . | fromYaml -}}
{{- $free := list -}}
{{- if not .Values.heap.enabled -}}{{- $free = list "NODE_OPTIONS" "N8N_RUNNERS_MAX_OLD_SPACE_SIZE" -}}{{- end -}}
{{- if not .Values.caCertificates.existingSecret -}}{{- $free = append $free "NODE_EXTRA_CA_CERTS" -}}{{- end -}}
{{- $global := dict -}}
{{- range .Values.extraEnv -}}{{- $_ := set $global .name true -}}{{- end -}}
{{- range $path := list "extraEnv" "main.extraEnv" "worker.extraEnv" "webhook.extraEnv" -}}
{{- $list := $.Values.extraEnv -}}
{{- if ne $path "extraEnv" -}}{{- $list = (index $.Values (trimSuffix ".extraEnv" $path)).extraEnv -}}{{- end -}}
{{- $seen := dict -}}
{{- range $list -}}
{{- /* n8n reads NAME_FILE as the file that holds NAME. */ -}}
{{- $name := trimSuffix "_FILE" .name -}}
{{- if and (hasKey $owned $name) (not (has $name $free)) (not (hasKey $seen .name)) -}}
{{- $problems = append $problems (printf "%s sets %s, which the chart sets itself, so that one of the two would silently win. Use instead: %s." $path .name (index $owned $name)) -}}
{{- end -}}
{{- if hasKey $seen .name -}}
{{- $problems = append $problems (printf "%s sets %s twice, and only the last would count. Remove one of the two." $path .name) -}}
{{- else if and (ne $path "extraEnv") (hasKey $global .name) -}}
{{- $problems = append $problems (printf "%s and extraEnv both set %s, and only the last would count. Remove one of the two." $path .name) -}}
{{- end -}}
{{- $_ := set $seen .name true -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}
