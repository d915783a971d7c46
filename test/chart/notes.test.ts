import { N8N, notes, own, queue } from './render.js';

it.each<[string, object, RegExp]>([
  [
    'the connections against those of the server',
    queue(),
    /connections +\(1 main \+ 2 workers \+ 2 webhook processors \+ 1 more during a rolling update\) × 20 connections \(database\.poolSize\) = 120,\n +of postgresql\.maxConnections=250 less 10 reserved = 240/,
  ],
  [
    'the most that may run at once, where something scales them',
    queue({ worker: { autoscaling: { type: 'hpa', maxReplicas: 5 } } }),
    /\(1 main \+ 5 workers \+ 2 webhook processors/,
  ],
  [
    'how to find a load balancer',
    { main: { service: { type: 'LoadBalancer' } } },
    /to the editor, by main\.service\.type=LoadBalancer:\n\n {2}kubectl .* get service\/n8n-tuned-main [^]*set webhookUrl/,
  ],
  [
    'that the connections of a server are not known',
    queue({ externalPostgresql: { host: 'pg', existingSecret: 's' } }),
    /= 120;\n +not checked, because externalPostgresql\.maxConnections is empty/,
  ],
  [
    'what pods that are ending may keep',
    queue({ worker: { replicas: 6 } }),
    /= 200,\n +of postgresql\.maxConnections=250 less 10 reserved = 240;\n +pods that are ending may keep up to 160 more: postgresql\.maxConnections=370 /,
  ],
  [
    'that one proxy serves editor and webhooks',
    {
      ingress: { enabled: true, hosts: ['n8n.internal'], webhooks: { enabled: true, hosts: ['hooks.example.com'] } },
    },
    /One proxy may serve ingress and ingress\.webhooks: /,
  ],
  ['how long pods have to end', queue(), /webhook: 5 s still serving \+ 30 s for executions \+ 10 s margin = 45 s\n/],
  [
    'when they are killed',
    { gracefulShutdown: { terminationGracePeriodSeconds: 60 } },
    /main: 30 s for executions \+ 10 s margin = 40 s, killed after 60 s/,
  ],
  ["the queue's key", queue(), /queue key +bull:jobs:wait\n/],
  [
    "the queue's key in a Redis Cluster",
    queue({ externalRedis: { prefix: 'mine', cluster: { nodes: ['r:6379'] } } }),
    /Redis Cluster at r:6379\n[^]*queue key +\{mine\}:jobs:wait\n/,
  ],
  ['how many requests it takes at once', {}, /requests +at most 87 at once in main, 100 more wait, the rest get 503/],
  ['how many a webhook processor takes', queue(), /requests +at most 15 at once in each webhook processor, 100 more/],
  ['where files are', {}, /binary data +on main's volume\n/],
  [
    'that S3 takes a licence',
    { binaryData: { mode: 's3', s3: { host: 'h', bucket: 'b', region: 'r' } } },
    /bucket b \(n8n exits if its licence does not include S3\)/,
  ],
  ['how expressions are evaluated', queue(), /expressions +vm; worker keeps 10 isolates ready/],
  [
    'that they are less safe',
    { expressionEngine: { type: 'legacy', acceptLessSafe: true } },
    /expressions +legacy: in n8n's own process, which is less safe/,
  ],
  ['that a version has no isolates', own(2, '1Gi'), /legacy: n8n 0\.221\.2 has no other engine/],
  [
    'that it does not know a newer version',
    { image: { tag: '2.99.0' } },
    new RegExp(`This chart was made for n8n up to ${N8N}`),
  ],
])('say %s', async (_name, values, text) => expect(await notes({ ...values })).toMatch(text));

it('say nothing of connections or a queue that are not there', async () => {
  expect(await notes()).not.toMatch(/connections|queue key/);
  const apart = { enabled: true, className: 'public', hosts: ['hooks.example.com'] };
  const ingress = { enabled: true, className: 'internal', hosts: ['n8n.internal'], webhooks: apart };
  expect(await notes({ ingress })).not.toMatch(/One proxy/);
});
