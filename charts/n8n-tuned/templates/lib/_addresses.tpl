{{/* Addresses and blocks of addresses as texts of bits: a block contains what begins with its bits. */}}

{{/*
The bits of an address: 32 characters of IPv4, 128 of IPv6 in any of its spellings; "" if it is no address. Takes the address.
*/}}
{{- define "n8n-tuned.addressBits" -}}
{{- if contains ":" . -}}
{{- $halves := list -}}
{{- range splitList "::" . -}}{{- $halves = append $halves (splitList ":" . | compact) -}}{{- end -}}
{{- $left := first $halves -}}
{{- $right := ternary (last $halves) list (eq (len $halves) 2) -}}
{{- $missing := sub 8 (add (len $left) (len $right)) | int -}}
{{- $whole := and (eq (len $halves) 1) (eq $missing 0) -}}
{{- $shortened := and (eq (len $halves) 2) (gt $missing 0) -}}
{{- if or $whole $shortened -}}
{{- $zeros := list -}}
{{- range until $missing -}}{{- $zeros = append $zeros "0" -}}{{- end -}}
{{- range concat $left $zeros $right -}}{{- include "n8n-tuned.groupBits" . -}}{{- end -}}
{{- end -}}
{{- else -}}
{{- range splitList "." . -}}{{- printf "%08b" (int .) -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* The 16 bits of a group of an IPv6 address, which has 1 to 4 hexadecimal digits. */}}
{{- define "n8n-tuned.groupBits" -}}
{{- $digits := printf "%s%s" (repeat (sub 4 (len .) | int) "0") (lower .) -}}
{{- range splitList "" $digits -}}{{- printf "%04b" (splitList . "0123456789abcdef" | first | len) -}}{{- end -}}
{{- end -}}

{{/* The bits that all addresses of a block begin with. Takes the block as a CIDR. */}}
{{- define "n8n-tuned.blockBits" -}}
{{- $cidr := splitList "/" . -}}
{{- include "n8n-tuned.addressBits" (first $cidr) | trunc (last $cidr | int) -}}
{{- end -}}

{{/*
The addresses at which clouds give away the credentials of a node, as a JSON array of blocks (read: documentation or agents of AWS,
Google Cloud, Azure, Alibaba Cloud and Oracle Cloud; 168.63.129.16 is Azure's WireServer).
*/}}
{{- define "n8n-tuned.metadataAddresses" -}}
{{- list "169.254.169.254/32" "100.100.100.200/32" "168.63.129.16/32"
  "fd00:ec2::254/128" "fd20:ce::254/128" "fd00:c1::a9fe:a9fe/128" "fd00:100::100:200/128" | toJson -}}
{{- end -}}

{{/* Which of them a block of addresses contains, as a JSON array. Takes the block as a CIDR. */}}
{{- define "n8n-tuned.metadataIn" -}}
{{- $block := . -}}
{{- $bits := include "n8n-tuned.blockBits" $block -}}
{{- $found := list -}}
{{- range include "n8n-tuned.metadataAddresses" "" | fromJsonArray -}}
{{- $sameFamily := eq (contains ":" .) (contains ":" $block) -}}
{{- if and $sameFamily (hasPrefix $bits (include "n8n-tuned.blockBits" .)) -}}{{- $found = append $found . -}}{{- end -}}
{{- end -}}
{{- toJson $found -}}
{{- end -}}
