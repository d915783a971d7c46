{{/*
Refuses changes of claims that Kubernetes does not make. Seen only where Helm asks the cluster: on `helm upgrade`, not on `helm
template`.
*/}}

{{- define "n8n-tuned.check.claims" -}}
{{- range $component, $isEmbedded := dict "postgresql" (include "n8n-tuned.embedsPostgresql" .) "redis" (include "n8n-tuned.embedsRedis" .) }}
{{- if $isEmbedded }}
{{- $name := include "n8n-tuned.componentName" (dict "context" $ "component" $component) }}
{{- with lookup "apps/v1" "StatefulSet" $.Release.Namespace $name }}
{{- include "n8n-tuned.check.statefulSetClaim" (dict "context" $ "component" $component "set" .) }}
{{- if and (eq $component "postgresql") (dig "spec" "volumeClaimTemplates" list .) }}
{{- include "n8n-tuned.check.initialDatabase" (dict "context" $ "set" .) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- $main := include "n8n-tuned.componentName" (dict "context" $ "component" "main") }}
{{- if and .Values.main.persistence.enabled (not .Values.main.persistence.existingClaim) }}
{{- with lookup "v1" "PersistentVolumeClaim" .Release.Namespace $main }}
{{- include "n8n-tuned.check.mainClaim" (dict "context" $ "claim" .) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The claim of a StatefulSet, of which nothing can change. Takes (dict "context" "component" "set"). */}}
{{- define "n8n-tuned.check.statefulSetClaim" -}}
{{- $component := .component -}}
{{- $name := .set.metadata.name -}}
{{- $persistence := (index .context.Values $component).persistence -}}
{{- $claims := dig "spec" "volumeClaimTemplates" list .set -}}
{{- if ne (empty $claims) (not $persistence.enabled) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "claim-of-a-stateful-set"
  "value" (printf "%s.persistence.enabled=%v" $component $persistence.enabled)
  "why" (printf "the StatefulSet %s has %s, and Kubernetes does not change that" $name (ternary "no claims" "claims" (empty $claims)))
  "do" (printf "Set %s.persistence.enabled=%v, or follow UPGRADING.md, \"The size of a volume\"" $component (not $persistence.enabled))) }}
{{- else if $claims }}
{{- $has := first $claims }}
{{- $fields := dict
  "size" (list (include "n8n-tuned.mebibytes" $persistence.size) (include "n8n-tuned.mebibytes" $has.spec.resources.requests.storage))
  "storageClass" (list ($persistence.storageClass | default "") ($has.spec.storageClassName | default ""))
  "accessModes" (list (join "," $persistence.accessModes) (join "," $has.spec.accessModes))
  "annotations" (list (toJson ($persistence.annotations | default dict)) (toJson ($has.metadata.annotations | default dict)))
  "commonLabels" (list (toJson (.context.Values.commonLabels | default dict)) (toJson ($has.metadata.labels | default dict))) }}
{{- range $field, $pair := $fields }}
{{- if ne (first $pair) (last $pair) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "claim-of-a-stateful-set"
  "value" (ternary $field (printf "%s.persistence.%s" $component $field) (eq $field "commonLabels"))
  "why" (printf "in the claims of the StatefulSet %s it is %s, and Kubernetes cannot change it" $name
    (ternary (printf "a size of %s" $has.spec.resources.requests.storage) (last $pair | default "none") (eq $field "size")))
  "do" "Restore the old value, or follow UPGRADING.md, \"The size of a volume\"") }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
What the image of PostgreSQL reads only when it makes the database: a change reaches n8n, not the database. What changes within a
Secret is not seen. Takes (dict "context" "set").
*/}}
{{- define "n8n-tuned.check.initialDatabase" -}}
{{- $values := .context.Values.postgresql -}}
{{- $has := dict -}}
{{- range (first .set.spec.template.spec.containers).env -}}
{{- $ref := dig "valueFrom" "secretKeyRef" dict . -}}
{{- $has = set $has .name (.value | default (printf "%s of %s" ($ref.key | default "") ($ref.name | default ""))) -}}
{{- end -}}
{{- $ref := include "n8n-tuned.postgresqlPasswordRef" .context | fromYaml -}}
{{- $fields := dict
  "postgresql.user" (list "POSTGRES_USER" $values.user)
  "postgresql.database" (list "POSTGRES_DB" $values.database)
  "postgresql.existingSecret" (list "POSTGRES_PASSWORD" (printf "%s of %s" $ref.key $ref.name)) }}
{{- range $path, $pair := $fields }}
{{- $old := get $has (first $pair) }}
{{- if and $old (ne $old (last $pair)) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "database-made-already"
  "value" $path
  "why" (printf "the database was made with %s (%s), and PostgreSQL's image does not change it: n8n could not log in" $old (first $pair))
  "do" (printf "%s, then run `kubectl --namespace %s delete statefulset %s --cascade=orphan` and upgrade"
    "Set it as it was. To change it, do so in the database (ALTER ROLE, ALTER DATABASE)"
    $.context.Release.Namespace $.set.metadata.name)) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The claim of main, of which only annotations and labels change, and a size that grows. Takes (dict "context" "claim"). */}}
{{- define "n8n-tuned.check.mainClaim" -}}
{{- $persistence := .context.Values.main.persistence -}}
{{- $spec := .claim.spec -}}
{{- $has := $spec.resources.requests.storage -}}
{{- if lt (include "n8n-tuned.mebibytes" $persistence.size | int) (include "n8n-tuned.mebibytes" $has | int) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "claim-shrinks"
  "value" (printf "main.persistence.size=%s" $persistence.size)
  "why" (printf "the claim %s has %s, and Kubernetes cannot shrink a claim" .claim.metadata.name $has)
  "do" (printf "Set main.persistence.size=%s or more" $has)) }}
{{- end }}
{{- $fields := dict
  "storageClass" (list ($persistence.storageClass | default $spec.storageClassName | default "") ($spec.storageClassName | default ""))
  "accessModes" (list (join "," $persistence.accessModes) (join "," $spec.accessModes)) }}
{{- range $field, $pair := $fields }}
{{- if ne (first $pair) (last $pair) }}
{{ include "n8n-tuned.refusal" (dict
  "code" "claim-unchangeable"
  "value" (printf "main.persistence.%s=%s" $field (first $pair))
  "why" (printf "the claim %s has %s, and Kubernetes does not change that" $.claim.metadata.name (last $pair))
  "do" "Restore the old value, or set main.persistence.existingClaim to a new claim with a copy of the data") }}
{{- end }}
{{- end }}
{{- end -}}
