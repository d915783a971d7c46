import { tests } from './cases.js';

const label = 'app.kubernetes.io/name';

await tests('_labels.tpl', [
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
]);
