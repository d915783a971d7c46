import { render } from '../render.js';
import { clusterWith } from './api-server.js';
import { tests, type Case } from './cases.js';

const label = 'app.kubernetes.io/name';

const cases: Case[] = [
  ['label-of-the-chart', `commonLabels ${label}`, { commonLabels: { [label]: 'x' } }, 'nameOverride'],
  ['label-of-the-chart', 'commonLabels helm.sh/chart', { commonLabels: { 'helm.sh/chart': 'x' } }],
  ['label-of-the-chart', `main.podLabels ${label}`, { main: { podLabels: { [label]: 'x' } } }],
  [
    'label-of-the-chart',
    `metrics.serviceMonitor.labels ${label}`,
    { metrics: { enabled: true, serviceMonitor: { enabled: true, labels: { [label]: 'x' } } } },
  ],
  [
    'annotation-of-helm',
    'commonAnnotations helm.sh/hook',
    { commonAnnotations: { 'helm.sh/hook': 'post-install' } },
    'annotate the one object',
  ],
];
// A change of the selector shows only in the cluster.
await tests('_labels.tpl', cases, ['selector-changed']);

describe('a release in the cluster', () => {
  const upgraded = clusterWith(() => render({}));

  it('may not get another nameOverride: its Deployments cannot select other pods', async () => {
    const [refusal, ...others] = await upgraded({ nameOverride: 'n8n' });
    expect(others).toEqual([]);
    expect(refusal).toMatchObject({ code: 'selector-changed', value: 'nameOverride=n8n' });
    expect(refusal!.text).toContain('Set nameOverride=n8n-tuned');
  });
});
