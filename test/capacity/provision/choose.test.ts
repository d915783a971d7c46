import { UsageError } from '../../../capacity/src/core/errors.js';
import { whereOf } from '../../../capacity/src/provision/choose.js';

test.each([
  { provisioner: 'existng' },
  { provisioner: 'kubernets' },
  { url: 'https://n8n.example.org' },
  { provisioner: 'kubernetes', metricsUrl: ['http://a'] },
  { provisioner: 'existing', kubeContext: 'a' },
  { kubeContext: 'prod' },
  { generators: '3' },
  { provisioner: 'kubernetes', cpuProfile: true },
  { provisioner: 'existing', url: 'https://n8n.example.org', cpuProfile: true },
  { provisioner: 'kubernetes', generators: '0' },
])('refuses %j', (options) => expect(() => whereOf(options)).toThrow(UsageError));

test('an unknown provisioner: the nearest name, and all of them', () => {
  expect(() => whereOf({ provisioner: 'existng' })).toThrow(/existing.*process, kubernetes, existing/);
});

test('says where to deploy', () => {
  expect(whereOf({}).name).toBe('process');
  expect(whereOf({ provisioner: 'kubernetes' })).toMatchObject({ name: 'kubernetes', k6Here: false });
});
