import { foreignFrom } from '../../../capacity/src/plan/foreign.js';

test('another chart, or its manifests', () => {
  expect(foreignFrom({})).toBeUndefined();
  expect(foreignFrom({ manifests: 'n8n.yaml' })).toEqual({ manifests: 'n8n.yaml' });
  expect(foreignFrom({ chart: 'oci://some/chart', set: ['a=b'], n8n: '2.41.1' })).toEqual({
    chart: 'oci://some/chart',
    n8n: '2.41.1',
  });
  expect(foreignFrom({ manifests: 'n8n.yaml', env: ['N8N_LOG_LEVEL=warn'] })).toEqual({
    manifests: 'n8n.yaml',
    overrides: { N8N_LOG_LEVEL: 'warn' },
  });
});

test.each([
  [{ manifests: 'a', chart: 'b' }, /exclude each other/],
  [{ manifests: 'a', set: ['x=y'] }, /rendered already/],
  [{ manifests: 'a', setString: ['x=y'] }, /rendered already; give --set-string to/],
  [{ chart: 'a', profile: 'queue' }, /--profile queue: is one of the chart of n8n-tuned; omit it with --chart/],
  [{ n8n: '2.41.1' }, /set image\.tag/],
  [{ env: ['N8N_LOG_LEVEL=warn'] }, /--env N8N_LOG_LEVEL: only with --manifests/],
  [{ chart: 'a', n8n: 'latest' }, /--n8n latest: is not a version/],
])('refuses %j', (given, message) => expect(() => foreignFrom(given)).toThrow(message));
