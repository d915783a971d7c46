{{/* Quantities as Kubernetes writes them, as plain numbers. */}}

{{/*
MiB of a quantity of memory, rounded down; "" if there is none. Accepts what the API server accepts: plain bytes,
exponents, m, k M G T P E, Ki Mi Gi Ti Pi Ei.
*/}}
{{- define "n8n-tuned.mebibytes" -}}
{{- $quantity := toString . -}}
{{- $number := regexFind "^[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?" $quantity -}}
{{- if $number -}}
{{- $units := dict
  "" 1.0 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18
  "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 -}}
{{- $unit := trimPrefix $number $quantity -}}
{{- if hasKey $units $unit -}}
{{- divf (mulf (float64 $number) (index $units $unit)) 1048576.0 | floor | int64 -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Millicores of a quantity of CPU, rounded up; "" if there is none. */}}
{{- define "n8n-tuned.millicores" -}}
{{- $quantity := toString . -}}
{{- if hasSuffix "m" $quantity -}}
{{- trimSuffix "m" $quantity | float64 | ceil | int64 -}}
{{- else if $quantity -}}
{{- mulf (float64 $quantity) 1000.0 | ceil | int64 -}}
{{- end -}}
{{- end -}}

{{/* Milliseconds of a duration such as 1m30s, in the notation of Go, Prometheus and the Gateway API; 0 if it is empty. */}}
{{- define "n8n-tuned.milliseconds" -}}
{{- $units := dict "ms" 1.0 "s" 1000.0 "m" 60000.0 "h" 3600000.0 -}}
{{- $sum := 0.0 -}}
{{- range regexFindAll "[0-9]+(\\.[0-9]+)?(ms|s|m|h)" (toString .) -1 -}}
{{- $number := regexFind "^[0-9.]+" . -}}
{{- $sum = addf $sum (mulf (float64 $number) (get $units (trimPrefix $number .))) -}}
{{- end -}}
{{- $sum | int64 -}}
{{- end -}}
