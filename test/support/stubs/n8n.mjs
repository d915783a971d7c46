/**
 * n8n.mjs [COMMAND]: stands in for n8n, for what happens around it. As a command it imports, publishes and serves workflows
 * that are kept in N8N_USER_FOLDER; as a module it serves those of `serve`. An execution costs nothing and ends at once.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @typedef {{ id: string, name: string, active: boolean, nodes: { type: string, parameters: { path?: string } }[] }} Workflow */

/**
 * Serves health, metrics, webhooks and the public API.
 * @param {number} port 0: any free one
 * @param {{ workflows?: Workflow[], answer?: (method: string, path: string) => void }} [options] `answer` is called before each
 *   request of the API is answered, and may throw
 */
export async function serve(port, { workflows = [], answer = () => {} } = {}) {
  const n8n = { workflows, credentials: [], executions: [], url: '', close: () => server.close() };
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const [status, body, allow = 'GET'] = reply(
        n8n,
        request,
        parts.length > 0 ? Buffer.concat(parts).toString() : '{}',
        answer,
      );
      response.writeHead(status, { 'content-type': 'application/json', allow }).end(body);
    });
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  n8n.url = `http://127.0.0.1:${server.address().port}`;
  return n8n;
}

function reply(n8n, { method, url, headers }, body, answer) {
  const { pathname, searchParams } = new URL(url, 'http://n8n');
  const [, root, ...rest] = pathname.split('/');
  if (root === 'healthz') return [200, '{"status":"ok"}'];
  if (root === 'metrics') return [200, metrics(n8n)];
  if (root === 'webhook' && method === 'OPTIONS') return [204, '', 'GET, POST'];
  if (root === 'webhook') return webhook(n8n, rest.join('/'), headers);
  if (root !== 'api') return [404, '{}'];
  answer(method, pathname);
  const found = api(n8n, method, rest.slice(1), searchParams, JSON.parse(body));
  return found === undefined ? [404, '{"message":"not found"}'] : [200, JSON.stringify(found)];
}

function webhook({ workflows, executions }, path, headers) {
  const serves = ({ type, parameters }) => type === 'n8n-nodes-base.webhook' && parameters.path === path;
  const workflow = workflows.find(({ active, nodes }) => active && nodes.some(serves));
  if (!workflow) return [404, '{}'];
  if (!headers['x-load-target-token']) return [403, '{}'];
  executions.unshift({ id: String(executions.length + 1), workflowId: workflow.id, status: 'success' });
  return [200, JSON.stringify({ operation: 'identify', parameters: {}, tookMs: 0, identity: { pid: process.pid } })];
}

function metrics({ workflows, executions }) {
  const counts = workflows.map(({ id }) => [id, executions.filter(({ workflowId }) => workflowId === id).length]);
  const series = (name) => counts.map(([id, n]) => `${name}{workflow_id="${id}"} ${n}`);
  const family = (name, lines) => [`# TYPE ${name} counter`, ...lines].join('\n');
  return [
    family('n8n_version_info', ['n8n_version_info{version="v2.41.1"} 1']),
    family('n8n_workflow_started_total', series('n8n_workflow_started_total')),
    family('n8n_workflow_success_total', series('n8n_workflow_success_total')),
    '',
  ].join('\n');
}

/** Undefined: not found. */
function api(n8n, method, [kind, id, action], query, body) {
  const page = (data) => ({ data, nextCursor: null });
  if (kind === 'executions') return page(n8n.executions.filter((e) => e.workflowId === query.get('workflowId')));
  const list = n8n[kind];
  if (id === undefined && method === 'GET') return page(list);
  if (method === 'POST' && id === undefined) {
    const item = { ...body, id: randomBytes(8).toString('hex'), active: false };
    list.push(item);
    return item;
  }
  const item = list.find((each) => each.id === id);
  if (item && method === 'DELETE') list.splice(list.indexOf(item), 1);
  if (item && action !== undefined) item.active = action === 'activate';
  return item;
}

const option = (args, name) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);

/** The command line. Workflows are in one file between commands. */
async function main([command = 'start', ...args]) {
  const file = join(process.env.N8N_USER_FOLDER, 'workflows.json');
  const read = () => {
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      return [];
    }
  };
  const write = (workflows) => writeFileSync(file, JSON.stringify(workflows));
  if (command === 'import:workflow') write([...read(), ...JSON.parse(readFileSync(option(args, 'input'), 'utf8'))]);
  if (command === 'publish:workflow')
    write(read().map((each) => (each.id === option(args, 'id') ? { ...each, active: true } : each)));
  if (command === 'start') await serve(Number(process.env.N8N_PORT), { workflows: read() });
}

// As a command it is imported by the stub's own `bin/n8n`, whose path says so.
if (process.argv[1] !== undefined && /\/n8n\/bin\/n8n$/.test(pathToFileURL(process.argv[1]).pathname))
  await main(process.argv.slice(2));
