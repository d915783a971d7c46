import { BlockList, isIP } from 'node:net';
import type { Manifest } from './render.js';

/** A pod, or an address outside of the cluster. */
export interface End {
  /** Labels of the pod; of an address outside of the cluster, none. */
  labels: Record<string, string>;
  /** Name of the namespace; of an address outside of the cluster, none. */
  namespace?: string;
  address?: string;
}

/** Whether a selector of labels, as `podSelector` has it, selects these labels. */
export const selects = (selector: Manifest, labels: Record<string, string>): boolean =>
  Object.entries(selector?.matchLabels ?? {}).every(([name, value]) => labels[name] === value);

/** Whether an address is in a block, of IPv4 or IPv6. An address of the other family is not. */
export function within(address: string, cidr: string): boolean {
  const [network, length] = cidr.split('/');
  const family = isIP(network!);
  if (family === 0) throw new Error(`no block of addresses: ${cidr}`);
  const kind = family === 6 ? 'ipv6' : 'ipv4';
  const block = new BlockList();
  block.addSubnet(network!, Number(length), kind);
  return isIP(address) === family && block.check(address, kind);
}

function isPeer(peer: Manifest, end: End, namespace: string): boolean {
  if (peer.ipBlock) {
    const { cidr, except = [] } = peer.ipBlock;
    return (
      end.address !== undefined && within(end.address, cidr) && !except.some((e: string) => within(end.address!, e))
    );
  }
  if (end.namespace === undefined) return false;
  if (!peer.namespaceSelector && end.namespace !== namespace) return false;
  return (
    selects(peer.namespaceSelector, { 'kubernetes.io/metadata.name': end.namespace }) &&
    selects(peer.podSelector, end.labels)
  );
}

function permits(rules: Manifest[], side: 'from' | 'to', end: End, port: number, protocol: string): boolean {
  return rules.some(
    (rule) =>
      (!rule[side]?.length || rule[side].some((peer: Manifest) => isPeer(peer, end, 'default'))) &&
      (!rule.ports?.length || rule.ports.some((p: Manifest) => p.port === port && (p.protocol ?? 'TCP') === protocol)),
  );
}

/**
 * Whether the policies among the objects let `from` reach a port of `to`. Worked out as the API documents it: without a policy that selects the pod all is allowed in that direction, else what any rule of any
 * of them allows.
 */
export function allowed(objects: Manifest[], from: End, to: End, port: number, protocol = 'TCP'): boolean {
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
  return (['Egress', 'Ingress'] as const).every((direction) => {
    const [self, other] = direction === 'Egress' ? [from, to] : [to, from];
    const own = policies.filter(
      ({ metadata, spec }) =>
        metadata.namespace === self.namespace &&
        spec.policyTypes.includes(direction) &&
        selects(spec.podSelector, self.labels),
    );
    if (own.length === 0) return true;
    const side = direction === 'Egress' ? 'to' : 'from';
    return own.some(({ spec }) => permits(spec[side === 'to' ? 'egress' : 'ingress'], side, other, port, protocol));
  });
}
