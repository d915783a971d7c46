import type { Manifest } from './render.js';

const SECRET =
  /(?:PASSWORD|PASS|ENCRYPTION_KEY|TOKEN|SECRET|ACCESS_KEY|CREDENTIALS?|LICENSE_ACTIVATION_KEY|REDISCLI_AUTH)$/;
// Names of Secrets, not secrets.
const NOT_SECRET = new Set(['SECRET_NAME']);

/** Every container of every pod of the objects. */
const containers = (objects: Manifest[]): any[] =>
  objects
    .map(({ kind, spec }) => (kind === 'Pod' ? spec : (spec?.jobTemplate?.spec.template.spec ?? spec?.template?.spec)))
    .flatMap((spec) => (spec ? [...(spec.initContainers ?? []), ...(spec.containers ?? [])] : []));

const leaves = (value: unknown): unknown[] =>
  value !== null && typeof value === 'object' ? Object.values(value).flatMap(leaves) : [value];

/** Tests that the objects contain no secret and give out no token. */
export function testSecrecy(objects: Manifest[]): void {
  it('has secrets in the environment only by reference', () => {
    const literal = containers(objects)
      .flatMap((container) => container.env ?? [])
      .filter(({ name, value }: any) => SECRET.test(name) && !NOT_SECRET.has(name) && value !== undefined)
      // The kubelet replaces $(NAME) by a variable that is a reference itself.
      .filter(({ value }: any) => value !== '' && !/^\$\([A-Z_]+\)$/.test(value));
    expect(literal).toEqual([]);
  });

  it('has no secret in arguments and commands', () => {
    for (const { command = [], args = [] } of containers(objects)) {
      for (const word of [...command, ...args]) {
        expect(word).not.toMatch(/(password|token|secret|key)=(?!\$)[^\s$"']+/i);
        // $(NAME) in an argument shows the secret to everyone who may list processes or pods.
        expect(word).not.toMatch(/\$\([A-Z_]*(PASSWORD|TOKEN|ENCRYPTION_KEY)\)/);
      }
    }
  });

  it('has no Secret with content, and no private key in a ConfigMap', () => {
    for (const object of objects.filter(({ kind }) => kind === 'Secret')) {
      expect(leaves([object.data ?? {}, object.stringData ?? {}])).toEqual([]);
    }
    for (const { data = {} } of objects.filter(({ kind }) => kind === 'ConfigMap')) {
      for (const text of Object.values<string>(data)) expect(text).not.toMatch(/-----BEGIN [A-Z ]*PRIVATE KEY-----/);
    }
  });

  it('gives the token of a service account only to the Job that generates the Secret', () => {
    const withToken = objects.filter(
      ({ spec }) => spec?.template?.spec?.containers && spec.template.spec.automountServiceAccountToken !== false,
    );
    expect(withToken.map(({ kind, metadata }) => `${kind} ${metadata.labels['app.kubernetes.io/component']}`)).toEqual(
      objects.some(({ metadata }) => metadata.annotations?.['n8n-tuned.io/makes-secret']) ? ['Job make-secret'] : [],
    );
  });
}
