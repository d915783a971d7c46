{{/* Refuses contradictions of pods, scaling, task runners, several mains and community packages. Each check gives a JSON list of sentences. */}}

{{/* Pods: what each component adds to its own. */}}
{{- define "n8n-tuned.check.pods" -}}
{{- $problems := list -}}
{{- $reserved := list "data" "temporary" "nodes" "npmrc" "runner-tmp" -}}
{{- $containers := list "n8n" "runner" "install-packages" "copy-packages" "load-targets" -}}
{{- range $component := list "main" "worker" "webhook" -}}
{{- $values := index $.Values $component -}}
{{- $present := has $component (include "n8n-tuned.components" $ | fromJson).list -}}
{{- range $name := keys $values.podLabels | sortAlpha -}}
{{- if hasKey (include "n8n-tuned.podLabels" (list $ $component) | fromYaml) $name -}}
{{- $problems = append $problems (printf "%s.podLabels sets %s, by which the chart's own objects find the pods. Remove it." $component $name) -}}
{{- end -}}
{{- end -}}
{{- range $values.extraVolumes -}}
{{- if has .name $reserved -}}
{{- $problems = append $problems (printf "%s.extraVolumes has a volume named %s, and so has the chart. Give it another name." $component .name) -}}
{{- end -}}
{{- end -}}
{{- range $list := list "extraContainers" "extraInitContainers" -}}
{{- range index $values $list -}}
{{- if has .name $containers -}}
{{- $problems = append $problems (printf "%s.%s has a container named %s, and so has the chart. Give it another name." $component $list .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not $present -}}
{{- range $list := list "extraEnv" "extraEnvFrom" "extraVolumes" "extraVolumeMounts" "extraContainers" "extraInitContainers" -}}
{{- if index $values $list -}}
{{- $problems = append $problems (printf "%s.%s would have no effect, since this release has no %s (executions.mode=%s%s). Remove it." $component $list $component $.Values.executions.mode (ternary ", webhook.replicas=0" "" (and (eq $component "webhook") (eq $.Values.executions.mode "queue")))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and (not .Values.serviceAccount.create) .Values.serviceAccount.annotations -}}
{{- $problems = append $problems "serviceAccount.annotations would have no effect, since serviceAccount.create=false. Set serviceAccount.create=true, or annotate the service account that there is." -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}

{{- define "n8n-tuned.check.scaling" -}}
{{- $problems := list -}}
{{- range $component := list "worker" "webhook" -}}
{{- $values := index $.Values $component -}}
{{- $scaling := $values.autoscaling -}}
{{- $name := printf "%s.autoscaling" $component -}}
{{- if ne $scaling.type "none" -}}
{{- if ne $.Values.executions.mode "queue" -}}
{{- $problems = append $problems (printf "%s.type=%s, but executions.mode=regular has one process and no %s to scale. Set executions.mode=queue, or %s.type=none." $name $scaling.type (ternary "workers" "webhook processors" (eq $component "worker")) $name) -}}
{{- else if and (eq $component "webhook") (eq (int $values.replicas) 0) -}}
{{- $problems = append $problems (printf "%s.type=%s, but webhook.replicas=0 leaves the webhooks to main. Set webhook.replicas to 1 or more (the autoscaler decides how many), or %s.type=none." $name $scaling.type $name) -}}
{{- else -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- $problems = append $problems (printf "%s.minReplicas=%d is more than %s.maxReplicas=%d. Lower the one, or raise the other." $name (int $scaling.minReplicas) $name (int $scaling.maxReplicas)) -}}
{{- end -}}
{{- if eq $scaling.type "hpa" -}}
{{- if eq (int $scaling.minReplicas) 0 -}}
{{- $problems = append $problems (printf "%s.minReplicas=0: no CPU is used where nothing runs, so hpa would never start one again. Set 1 or more, or %s.type=keda." $name $name) -}}
{{- end -}}
{{- $requests := dict (printf "%s.resources.requests.cpu" $component) ($values.resources | default dict) -}}
{{- if include "n8n-tuned.hasRunnerSidecar" (list $ $component) -}}
{{- $_ := set $requests "taskRunners.resources.requests.cpu" ($.Values.taskRunners.resources | default dict) -}}
{{- end -}}
{{- range $index, $container := $values.extraContainers -}}
{{- $_ := set $requests (printf "%s.extraContainers[%d].resources.requests.cpu" $component $index) ($container.resources | default dict) -}}
{{- end -}}
{{- range $path, $resources := $requests -}}
{{- if not (or (dig "requests" "cpu" "" $resources) (dig "limits" "cpu" "" $resources)) -}}
{{- $problems = append $problems (printf "%s.type=hpa scales by the percentage of the CPU requests, and %s is not set. Set it, or another %s.type." $name $path $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with .Values.worker.autoscaling -}}
{{- if and (ne .type "keda") .keda.listLength -}}
{{- $problems = append $problems (printf "worker.autoscaling.keda.listLength=%d would have no effect, since worker.autoscaling.type=%s. Remove it, or set worker.autoscaling.type=keda." (int .keda.listLength) .type) -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}

{{- define "n8n-tuned.check.runners" -}}
{{- $problems := list -}}
{{- $values := .Values.taskRunners -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- if eq $values.mode "external" -}}
{{- if not (include "n8n-tuned.atLeast" (list . "1.111.0")) -}}
{{- $problems = append $problems (printf "taskRunners.mode=external: there is no image of runners for n8n %s (they came with 1.111). Set taskRunners.mode=internal, or image.tag to 1.111.0 or newer." $version) -}}
{{- else -}}
{{- $tag := $values.image.tag | trimPrefix "v" -}}
{{- $pattern := include "n8n-tuned.versionPattern" . -}}
{{- if and (regexMatch $pattern $tag) (ne (regexFind "[0-9]+\\.[0-9]+\\.[0-9]+" $tag) $version) -}}
{{- $problems = append $problems (printf "taskRunners.image.tag=%s is not n8n's version %s, and the two speak to each other in a protocol without versions. Remove taskRunners.image.tag." $values.image.tag $version) -}}
{{- end -}}
{{- if has (int $values.brokerPort) (list 5678 5680 5681 5682) -}}
{{- $problems = append $problems (printf "taskRunners.brokerPort=%d is taken in the pod: 5678 by n8n, 5680 to 5682 by the runners' health checks. Set another." (int $values.brokerPort)) -}}
{{- end -}}
{{- range (include "n8n-tuned.components" . | fromJson).list -}}
{{- if include "n8n-tuned.hasRunnerSidecar" (list $ .) -}}
{{- $problems = concat $problems ((include "n8n-tuned.sidecarHeap" (list $ .) | fromJson).problems) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- else -}}
{{- if has (int $values.brokerPort) (list 5678) -}}
{{- $problems = append $problems (printf "taskRunners.brokerPort=%d is n8n's own port. Set another." (int $values.brokerPort)) -}}
{{- end -}}
{{- if $values.authToken.existingSecret -}}
{{- $problems = append $problems (printf "taskRunners.authToken.existingSecret=%s would have no effect, since taskRunners.mode=internal makes a token of its own at each start. Remove it, or set taskRunners.mode=external." $values.authToken.existingSecret) -}}
{{- end -}}
{{- end -}}
{{- $problems | uniq | toJson -}}
{{- end -}}

{{- define "n8n-tuned.check.multiMain" -}}
{{- $problems := list -}}
{{- if .Values.multiMain.enabled -}}
{{- if not (include "n8n-tuned.atLeast" (list . "1.27.0")) -}}
{{- $problems = append $problems (printf "multiMain.enabled=true: n8n %s is not known to have it. Set multiMain.enabled=false, or image.tag to 1.27.0 or newer." (include "n8n-tuned.version" .)) -}}
{{- end -}}
{{- if ne .Values.executions.mode "queue" -}}
{{- $problems = append $problems "multiMain.enabled=true, but in executions.mode=regular n8n does not elect a leader, and each main would run every trigger. Set executions.mode=queue, or multiMain.enabled=false." -}}
{{- end -}}
{{- if not .Values.license.existingSecret -}}
{{- $problems = append $problems "multiMain.enabled=true needs a licence that has the feature, and without one the mains would not follow a leader. Set license.existingSecret to the Secret that holds the activation key, or multiMain.enabled=false." -}}
{{- end -}}
{{- if and .Values.main.persistence.enabled (not .Values.main.persistence.existingClaim) -}}
{{- $problems = append $problems (printf "multiMain.replicas=%d mains cannot share the one ReadWriteOnce volume of main.persistence.enabled=true. Set main.persistence.enabled=false (all that must stay is in the database), or main.persistence.existingClaim to a ReadWriteMany claim." (int .Values.multiMain.replicas)) -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}

{{- define "n8n-tuned.check.packages" -}}
{{- $problems := list -}}
{{- $values := .Values.communityPackages -}}
{{- range $values.install -}}
{{- $name := regexFind "^(@[^/@]+/)?[^@/]+" . -}}
{{- $version := trimPrefix "@" (trimPrefix $name .) -}}
{{- if not (hasPrefix "n8n-nodes-" (regexReplaceAll "^@[^/]+/" $name "")) -}}
{{- $problems = append $problems (printf "communityPackages.install has %s, but n8n only loads packages whose name begins with n8n-nodes-. Remove it." .) -}}
{{- end -}}
{{- if not (regexMatch "^[0-9]+\\.[0-9]+\\.[0-9]+([-+][0-9A-Za-z.+-]+)?$" $version) -}}
{{- $problems = append $problems (printf "communityPackages.install has %s without an exact version, so that two pods could run two versions of it. Write %s@1.2.3." . $name) -}}
{{- end -}}
{{- end -}}
{{- if include "n8n-tuned.fillsNodes" . -}}
{{- range $env := concat .Values.extraEnv .Values.main.extraEnv .Values.worker.extraEnv .Values.webhook.extraEnv -}}
{{- if has .name (list "N8N_COMMUNITY_PACKAGES_ENABLED" "N8N_COMMUNITY_PACKAGES_PREVENT_LOADING" "N8N_UNVERIFIED_PACKAGES_ENABLED") -}}
{{- $problems = append $problems (printf "extraEnv sets %s, but communityPackages has packages for n8n to load. Remove it; the packages are those of communityPackages alone." .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not $values.install -}}
{{- range $name := list "registry" "npmrcSecret" -}}
{{- if index $values $name -}}
{{- $problems = append $problems (printf "communityPackages.%s=%s would have no effect, since communityPackages.install is empty. Remove it, or name the packages." $name (index $values $name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $problems | toJson -}}
{{- end -}}
