import { nginxConfig } from '../../../experiments/src/arrangement/nginx.js';

test('nginxConfig has one worker, distributes requests round-robin over kept connections, and never retries', () => {
  const config = nginxConfig({ port: 80, ports: [1, 2], folder: '/scratch' });
  expect(config).toMatch(/^daemon off;\nworker_processes 1;/);
  expect(config).toContain('    server 127.0.0.1:1 max_fails=0;\n    server 127.0.0.1:2 max_fails=0;\n');
  for (const line of ['listen 127.0.0.1:80', 'keepalive 512;', 'proxy_next_upstream off;', 'error_log stderr;'])
    expect(config).toContain(line);
  expect(nginxConfig({ port: 80, ports: [1], folder: '/scratch', user: 'root' })).toMatch(/^user root;\n/);
});
