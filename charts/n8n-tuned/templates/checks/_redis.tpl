{{/* Refuses a Redis that the mode does not use, two of them, none, and settings that this n8n does not read. */}}

{{- define "n8n-tuned.check.redis" -}}
{{- $external := .Values.externalRedis -}}
{{- $given := include "n8n-tuned.externalRedis" . -}}
{{- $embedded := .Values.redis.enabled -}}
{{- if ne .Values.executions.mode "queue" }}
{{- if and (kindIs "bool" $embedded) $embedded }}
{{ include "n8n-tuned.refusal" (dict
  "code" "redis-unused"
  "value" "redis.enabled=true"
  "why" "executions.mode=regular does not use Redis"
  "do" "Set executions.mode=queue, or remove redis.enabled") }}
{{- end }}
{{- if $given }}
{{ include "n8n-tuned.refusal" (dict
  "code" "redis-unused"
  "value" $given
  "why" "executions.mode=regular does not use Redis"
  "do" (printf "Set executions.mode=queue, or remove %s" (regexFind "^[^=]+" $given))) }}
{{- end }}
{{- else }}
{{- if and (kindIs "bool" $embedded) $embedded $given }}
{{ include "n8n-tuned.refusal" (dict
  "code" "redis-twice"
  "value" "redis.enabled=true"
  "why" (printf "%s is a second Redis, and n8n uses only one" $given)
  "do" "Remove one of the two") }}
{{- else if and (kindIs "bool" $embedded) (not $embedded) (not $given) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "redis-missing"
  "value" "redis.enabled=false"
  "why" "queue mode then has no Redis"
  "do" "Set externalRedis.host, or remove redis.enabled") }}
{{- end }}
{{- if and (include "n8n-tuned.embedsRedis" .) (not (dig "limits" "memory" "" (.Values.redis.resources | default dict))) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "redis-without-memory-limit"
  "value" "redis.resources.limits.memory"
  "why" "it is not set, and the most that Redis stores is computed from it"
  "do" "Set it, for example 512Mi") }}
{{- end }}
{{- $most := include "n8n-tuned.redisMaxMemory" . | int }}
{{- $size := include "n8n-tuned.mebibytes" .Values.redis.persistence.size | int }}
{{- if and (include "n8n-tuned.embedsRedis" .) .Values.redis.persistence.enabled (gt (mul 2 $most | int) $size) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "redis-volume-too-small"
  "value" (printf "redis.persistence.size=%s" .Values.redis.persistence.size)
  "why" (printf "Redis stores up to %d MiB (redis.maxMemoryPercent of its memory limit), twice that while it rewrites its file, and %s" $most
    "on a full volume it refuses every write")
  "do" (printf "Set it to %dMi or more, or lower redis.resources.limits.memory" (mul 2 $most | int))) }}
{{- end }}
{{- if and $external.host $external.cluster.nodes }}
{{ include "n8n-tuned.refusal" (dict
  "code" "redis-host-and-cluster"
  "value" (printf "externalRedis.host=%s" $external.host)
  "why" "it has no effect beside externalRedis.cluster.nodes"
  "do" "Remove one of the two") }}
{{- end }}
{{- if $external.cluster.nodes }}{{ include "n8n-tuned.check.redisCluster" . }}{{ end }}
{{- if and $given $external.tls.enabled }}{{ include "n8n-tuned.check.redisTls" . }}{{ end }}
{{- end }}
{{- end -}}

{{/* An external Redis Cluster. */}}
{{- define "n8n-tuned.check.redisCluster" -}}
{{- $external := .Values.externalRedis -}}
{{- if not (include "n8n-tuned.reads" (dict "context" . "variable" "QUEUE_BULL_REDIS_CLUSTER_NODES")) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "redis-cluster-unsupported"
  "value" "externalRedis.cluster.nodes"
  "why" (printf "n8n %s does not support Redis Cluster; n8n 1.2 and newer do" (include "n8n-tuned.version" .))
  "do" "Set externalRedis.host to a Redis that is not a cluster, or set image.tag to 1.2.0 or newer") }}
{{- end }}
{{- if $external.database }}
{{ include "n8n-tuned.refusal" (dict
  "code" "redis-cluster-database"
  "value" (printf "externalRedis.database=%d" (int $external.database))
  "why" "a Redis Cluster has only database 0"
  "do" "Remove it; if two n8n deployments share the cluster, set a different externalRedis.prefix for each") }}
{{- end }}
{{- end -}}

{{/* TLS to an external Redis. */}}
{{- define "n8n-tuned.check.redisTls" -}}
{{- $tls := .Values.externalRedis.tls -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- if not (include "n8n-tuned.reads" (dict "context" . "variable" "QUEUE_BULL_REDIS_TLS")) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "redis-tls-unsupported"
  "value" "externalRedis.tls.enabled=true"
  "why" (printf "n8n %s does not read QUEUE_BULL_REDIS_TLS; n8n 1.6 and newer do" $version)
  "do" "Set externalRedis.tls.enabled=false, or image.tag to 1.6.0 or newer") }}
{{- else if not (include "n8n-tuned.reads" (dict "context" . "variable" "QUEUE_BULL_REDIS_TLS_VALIDATE_CERTIFICATE")) }}
{{- if not $tls.rejectUnauthorized }}
{{ include "n8n-tuned.refusal" (dict
  "code" "redis-tls-always-verified"
  "value" "externalRedis.tls.rejectUnauthorized=false"
  "why" (printf "n8n %s always verifies the certificate; n8n 2.30 and newer can skip this" $version)
  "do" "Set caCertificates.existingSecret to the authority that signed the certificate, or set image.tag to 2.30.0 or newer") }}
{{- end }}
{{- if $tls.serverName }}
{{ include "n8n-tuned.refusal" (dict
  "code" "redis-tls-server-name-unsupported"
  "value" (printf "externalRedis.tls.serverName=%s" $tls.serverName)
  "why" (printf "n8n %s does not read it; n8n 2.30 and newer do" $version)
  "do" "Set externalRedis.host to that name, or image.tag to 2.30.0 or newer") }}
{{- end }}
{{- end }}
{{- if and $tls.serverName $tls.rejectUnauthorized (eq (include "n8n-tuned.autoscaler" (dict "context" . "component" "worker")) "keda") }}
{{ include "n8n-tuned.refusal" (dict
  "code" "keda-without-server-name"
  "value" (printf "externalRedis.tls.serverName=%s" $tls.serverName)
  "why" "KEDA reads the queue for worker.autoscaling.type=keda, and it compares the certificate with externalRedis.host"
  "do" "Set externalRedis.host to that name, or worker.autoscaling.type=hpa") }}
{{- end }}
{{- $names := include "n8n-tuned.reads" (dict "context" . "variable" "QUEUE_BULL_REDIS_DNS_LOOKUP_STRATEGY") }}
{{- if and (include "n8n-tuned.redisCluster" .) $tls.rejectUnauthorized (not $names) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "redis-cluster-tls-unsupported"
  "value" "externalRedis.tls.enabled=true"
  "why" (printf "n8n %s connects to addresses, not to the names of externalRedis.cluster.nodes, which are in the certificate" $version)
  "do" "Set image.tag to 2.3.0 or newer, or externalRedis.tls.enabled=false") }}
{{- end }}
{{- end -}}
