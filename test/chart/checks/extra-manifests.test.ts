import { find, queue, render, type Values } from '../render.js';
import { tests } from './cases.js';

const extra = (...extraManifests: unknown[]): Values => ({ extraManifests });
const config = (name: string, namespace?: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...(namespace && { namespace }) },
});

await tests('_extra-manifests.tpl', [
  ['manifest-empty', 'extraManifests[0]', extra({})],
  ['manifest-empty', 'extraManifests[1]', extra(config('a'), '')],
  ['manifest-incomplete', 'extraManifests[0]', extra('hello'), 'apiVersion', 'kind', 'metadata.name'],
  ['manifest-incomplete', 'extraManifests[0]', extra({ apiVersion: 'v1', kind: 'ConfigMap' }), 'no metadata.name'],
  ['manifest-incomplete', 'extraManifests[0]', extra({ ...config('a'), kind: undefined }), 'no kind'],
  ['manifest-incomplete', 'extraManifests[0]', extra('metadata:\n  name: {{ .Release.Name }}\n'), 'no apiVersion'],
  ['manifest-twice', 'extraManifests[1]', extra(config('a'), config('a', 'default')), 'extraManifests[0] already'],
  [
    'manifest-twice',
    'extraManifests[0]',
    queue(extra({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'n8n-tuned-redis' } })),
    'the chart already',
  ],
  [
    'manifest-twice',
    'extraManifests[0]',
    extra("apiVersion: v1\nkind: Service\nmetadata:\n  name: '{{ .Release.Name }}-main'\n"),
    'the chart already',
  ],
]);

it('takes lists, names of other namespaces and releases, and texts that render to several objects or none', () => {
  const several =
    '---\n# Two.\napiVersion: v1\nkind: A\nmetadata: {name: a}\n---\napiVersion: v1\nkind: B\nmetadata: {name: a}\n';
  const list = { apiVersion: 'v1', kind: 'ConfigMapList', items: [config('c')] };
  const objects = render(
    extra(
      config('a'),
      config('a', 'other'),
      several,
      list,
      { ...list, metadata: {} },
      '{{ if false }}\nx\n{{ end }}\n',
      '# Nothing yet.\n',
    ),
  );
  expect(find(objects, 'A', 'a')).toBeDefined();
  expect(find(objects, 'B', 'a')).toBeDefined();
  expect(find(objects, 'ConfigMapList')).toEqual(list);
});
