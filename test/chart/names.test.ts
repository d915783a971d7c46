import { env, queue, render, workload } from './render.js';

describe('names', () => {
  it('has one for each Service, by which the component and its port are found', () => {
    const services = render(queue()).filter((o) => o.kind === 'Service');
    expect(
      Object.fromEntries(
        services.map((s) => [s.metadata.name, [s.metadata.labels['app.kubernetes.io/component'], ...s.spec.ports]]),
      ),
    ).toEqual({
      'n8n-tuned-main': ['main', { name: 'http', port: 5678, targetPort: 'http' }],
      'n8n-tuned-worker': ['worker', { name: 'http', port: 5678, targetPort: 'http' }],
      'n8n-tuned-webhook': ['webhook', { name: 'http', port: 5678, targetPort: 'http' }],
      'n8n-tuned-postgresql': ['postgresql', { name: 'postgresql', port: 5432, targetPort: 'postgresql' }],
      'n8n-tuned-redis': ['redis', { name: 'redis', port: 6379, targetPort: 'redis' }],
    });
  });

  it('selects by Services the pods that are there', () => {
    const objects = render(queue());
    for (const service of objects.filter((o) => o.kind === 'Service')) {
      const pods = objects.filter((o) => o.spec?.template?.metadata.labels);
      const selected = pods.filter((o) =>
        Object.entries(service.spec.selector).every(([key, value]) => o.spec.template.metadata.labels[key] === value),
      );
      expect(selected.map((o) => o.metadata.name)).toEqual([service.metadata.name]);
      const ports = selected[0].spec.template.spec.containers[0].ports.map((p: any) => p.name);
      expect(ports).toContain(service.spec.ports[0].targetPort);
    }
  });

  it('never share a name where they are trimmed', () => {
    const of = (release: string) => workload(render({}, release), 'main').metadata.name as string;
    const [a, b] = ['a', 'b'].map((end) => of(`${'long-release-name-'.repeat(2)}${end}`));
    expect(a).not.toBe(b);
    expect(a!.replace(/-main$/, '').length).toBeLessThanOrEqual(40);
  });

  it('carries release and namespace', () => {
    const objects = render(queue(), 'prod', 'automation');
    expect(workload(objects, 'worker').metadata).toMatchObject({
      name: 'prod-n8n-tuned-worker',
      namespace: 'automation',
    });
    for (const { metadata } of objects) expect(metadata.namespace).toBe('automation');
    expect(env(objects, 'worker').DB_POSTGRESDB_HOST).toBe('prod-n8n-tuned-postgresql');
  });

  it('are texts, where YAML would read a number or a boolean', () => {
    const values = {
      fullnameOverride: 'n8n',
      serviceAccount: { name: '007' },
      main: { persistence: { storageClass: '1' } },
    };
    for (const release of ['2024', 'on']) {
      const objects = render(values, release, '123');
      for (const { metadata } of objects) {
        expect(metadata.namespace).toBe('123');
        expect(metadata.labels['app.kubernetes.io/instance']).toBe(release);
      }
      expect(workload(objects, 'main').spec.template.spec.serviceAccountName).toBe('007');
      expect(objects.find((o) => o.kind === 'PersistentVolumeClaim').spec.storageClassName).toBe('1');
    }
  });
});
