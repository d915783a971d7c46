import { roleOfCommand } from '../../../experiments/src/measure/process-watch.js';

test.each([
  ['nginx: master process /usr/sbin/nginx -c /tmp/x/nginx.conf', 'nginx'],
  ['nginx: worker process', 'nginx worker'],
  ['/cache/k6 run script.js', 'k6'],
  ['node /cache/n8n/bin/n8n worker --concurrency=10', 'worker'],
  ['node /cache/n8n/bin/n8n', 'main'],
])('roleOfCommand: %s has the role %s', (line, role) => {
  expect(roleOfCommand(line)).toBe(role);
});

test('neither the installation of nginx nor a shell is measured', () => {
  expect(roleOfCommand('apt-get install -y -qq nginx')).toBeUndefined();
  expect(roleOfCommand('/bin/sh -c nginx: master')).toBeUndefined();
});
