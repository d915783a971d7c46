import { UsageError } from '../../../capacity/src/core/errors.js';
import { choosePlace } from '../../../capacity/src/provision/choose.js';

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
])('refuses %j', (options) => expect(() => choosePlace(options)).toThrow(UsageError));

test('an unknown provisioner: the nearest name, and all of them', () => {
  expect(() => choosePlace({ provisioner: 'existng' })).toThrow(/existing.*process, kubernetes, existing/);
});

test('says where to deploy', () => {
  expect(choosePlace({}).name).toBe('process');
  expect(choosePlace({ provisioner: 'kubernetes' })).toMatchObject({ name: 'kubernetes', k6Here: false });
});
