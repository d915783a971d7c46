import { render, valuesOf, type Manifest } from './render.js';

/** What a ResourceQuota of requests and limits asks for: a pod without one of them is refused. */
const asked = { requests: { cpu: expect.anything(), memory: expect.anything() } };
const complete = { ...asked, limits: asked.requests };

const podsOf = ({ kind, spec }: Manifest): Manifest[] => {
  if (kind === 'Pod') return [spec];
  if (kind === 'TestRun') return ['initializer', 'starter', 'runner'].map((part) => ({ containers: [spec[part]] }));
  return spec?.template?.spec?.containers ? [spec.template.spec] : [];
};

it.each([
  'ci/platform-values.yaml',
  'ci/load-targets-values.yaml',
  'ci/loadtest-values.yaml',
  'ci/testrun-values.yaml',
  'ci/community-packages-values.yaml',
])('every container of %s has requests and limits, so that a quota lets its pod start', (file) => {
  const objects = render(valuesOf(file));
  const containers = objects
    .flatMap(podsOf)
    .flatMap(({ containers, initContainers = [] }) => [...initContainers, ...containers]);
  expect(containers.length).toBeGreaterThan(3);
  for (const { name, resources } of containers)
    expect({ name, resources }).toMatchObject({ name, resources: complete });
});

it('lets the disk of a container be limited, which a quota may ask for', () => {
  const limits = { cpu: '2', memory: '2Gi', 'ephemeral-storage': '1Gi' };
  const [main] = render({ main: { resources: { limits } } }).filter(({ kind }: Manifest) => kind === 'Deployment');
  expect(main.spec.template.spec.containers[0].resources.limits).toEqual(limits);
});
