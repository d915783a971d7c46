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

{{/*
The 16 bits of a group of an IPv6 address, which has 1 to 4 hexadecimal digits. What has more is refused as no block of addresses, and
must not end the render before.
*/}}
{{- define "n8n-tuned.groupBits" -}}
{{- $digits := printf "%s%s" (repeat (max 0 (sub 4 (len .)) | int) "0") (lower .) -}}
{{- range splitList "" $digits -}}{{- printf "%04b" (splitList . "0123456789abcdef" | first | len) -}}{{- end -}}
{{- end -}}

{{/* The bits that all addresses of a block begin with. Takes the block as a CIDR. */}}
{{- define "n8n-tuned.blockBits" -}}
{{- $cidr := splitList "/" . -}}
{{- include "n8n-tuned.addressBits" (first $cidr) | trunc (last $cidr | int) -}}
{{- end -}}

{{/*
The addresses at which clouds give away the credentials of a node or a pod, as a JSON array of blocks (read: documentation or agents of
AWS, Google Cloud, Azure, Alibaba Cloud and Oracle Cloud; 169.254.170.2 is that of ECS, .23 that of EKS Pod Identity, 169.254.169.252
that of GKE's metadata server, 168.63.129.16 is Azure's WireServer).
*/}}
{{- define "n8n-tuned.metadataBlocks" -}}
{{- list "169.254.169.254/32" "169.254.170.2/32" "169.254.170.23/32" "169.254.169.252/32" "100.100.100.200/32" "168.63.129.16/32"
  "fd00:ec2::254/128" "fd00:ec2::23/128" "fd20:ce::254/128" "fd00:c1::a9fe:a9fe/128" "fd00:100::100:200/128" | toJson -}}
{{- end -}}

{{/*
Blocks of addresses that are not of the public internet, as a JSON array (read: IANA's registries of special-purpose addresses). IPv6:
all but 2000::/3, in which global addresses are assigned, and what of those is not global. So ::/3 has ::1, ::ffff:0:0/96 and
64:ff9b::/96; 8000::/1 has fc00::/7, fe80::/10 and ff00::/8.
*/}}
{{- define "n8n-tuned.privateBlocks" -}}
{{- list "0.0.0.0/8" "10.0.0.0/8" "100.64.0.0/10" "127.0.0.0/8" "169.254.0.0/16" "172.16.0.0/12" "192.0.0.0/24" "192.0.2.0/24"
  "192.88.99.0/24" "192.168.0.0/16" "198.18.0.0/15" "198.51.100.0/24" "203.0.113.0/24" "224.0.0.0/4" "240.0.0.0/4"
  "::/3" "4000::/2" "8000::/1" "2001::/23" "2001:db8::/32" "2002::/16" "3fff::/20" | toJson -}}
{{- end -}}

{{/* Which of some blocks of addresses another one contains, as a JSON array. Takes (dict "block" "blocks"), CIDRs. */}}
{{- define "n8n-tuned.blocksIn" -}}
{{- $block := .block -}}
{{- $bits := include "n8n-tuned.blockBits" $block -}}
{{- $found := list -}}
{{- range .blocks -}}
{{- $sameFamily := eq (contains ":" .) (contains ":" $block) -}}
{{- if and $sameFamily (hasPrefix $bits (include "n8n-tuned.blockBits" .)) -}}{{- $found = append $found . -}}{{- end -}}
{{- end -}}
{{- toJson $found -}}
{{- end -}}
