import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadTargetsFolder } from '../../capacity/src/provision/load-targets.js';
import { setPaused } from '../../nodes/BullQueue/queue/pause.js';

/** The workflows for operators in workflows/operate. test/integration checks their nodes with a real n8n. */

const folder = join(import.meta.dirname, '../../workflows/operate');
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort();
const load = (file: string): any => JSON.parse(readFileSync(join(folder, file), 'utf8'));
const workflows = files.map(load);
const nodesOf = (workflow: any): any[] => workflow.nodes;
const isNote = ({ type }: any) => type.endsWith('.stickyNote');
const isTrigger = ({ type }: any) => /Trigger$/.test(type);

const CREDENTIALS: Record<string, string> = {
  '2000000000000002': 'n8n-tuned queue',
  '2000000000000003': 'n8n-tuned queue with changes',
  '2000000000000004': 'n8n-tuned n8n API',
};
const CHANGES = ['pause', 'resume'];

test('all workflows are documented, and none is a load target', () => {
  expect(Object.fromEntries(files.map((file, i) => [basename(file, '.json'), workflows[i].id]))).toEqual({
    'backlog-alarm': '1102',
    'maintenance-window': '1101',
    'rescue-by-hand': '1103',
    'resume-queue': '1104',
  });
  const page = readFileSync(join(folder, 'README.md'), 'utf8');
  for (const file of files) expect(page).toContain(`(${file})`);
  for (const version of ['2.41.1', '0.221.2']) {
    for (const file of files) expect(readdirSync(loadTargetsFolder(version))).not.toContain(file);
  }
});

test('the ids of workflows and nodes are unique', () => {
  for (const ids of [workflows.map(({ id }) => id), workflows.flatMap(nodesOf).map(({ id }) => id)]) {
    expect(new Set(ids).size).toBe(ids.length);
  }
});

describe.each(files)('%s', (file) => {
  const workflow = load(file);
  const nodes = nodesOf(workflow);

  test('is portable, inactive, and named after its file', () => {
    expect(Object.keys(workflow).sort()).toEqual(['active', 'connections', 'id', 'name', 'nodes', 'settings']);
    expect(workflow.active).toBe(false);
    expect(workflow.name).toBe(`n8n-tuned: ${basename(file, '.json')}`);
    const notes = nodes.filter(isNote).map(({ parameters }) => parameters.content);
    expect(notes).toEqual([expect.stringMatching(new RegExp(`^## ${basename(file, '.json')}\n`))]);
  });

  test('refers to credentials without their values; only nodes that pause and resume have the credential for that', () => {
    for (const { type, parameters, credentials = {} } of nodes) {
      for (const { id, name, ...rest } of Object.values<any>(credentials)) {
        expect([CREDENTIALS[id], rest]).toEqual([name, {}]);
      }
      if (CHANGES.includes(parameters.operation)) expect(credentials.bullQueueApi.id).toBe('2000000000000003');
      if (type === 'n8n-nodes-tuned.bullQueue') expect(credentials).toHaveProperty('bullQueueApi');
    }
  });

  test('every node is reached from a trigger, and every expression names nodes that run before', () => {
    const next = (name: string): string[] =>
      (workflow.connections[name]?.main ?? []).flat().map(({ node }: { node: string }) => node);
    const reached = new Set<string>();
    const visit = (name: string): void => {
      if (reached.has(name)) return;
      reached.add(name);
      next(name).forEach(visit);
    };
    nodes.filter(isTrigger).forEach(({ name }) => visit(name));
    expect([...reached].sort()).toEqual(
      nodes
        .filter((node) => !isNote(node))
        .map(({ name }) => name)
        .sort(),
    );
    const leadsTo = (from: string, to: string, seen = new Set<string>()): boolean =>
      next(from).some((name) => name === to || (!seen.has(name) && leadsTo(name, to, seen.add(name))));
    for (const { name, parameters } of nodes.filter((node) => !isNote(node))) {
      for (const [, named] of JSON.stringify(parameters).matchAll(/\$\('([^']+)'\)/g)) {
        expect([name, named, leadsTo(named!, name)]).toEqual([name, named, true]);
      }
    }
  });
});

/** Runs the JavaScript of a Code node for all its items at once. */
function runCodeNode(file: string, name: string, given: { input: any[]; nodes: Record<string, any[]> }): any[] {
  const { jsCode } = nodesOf(load(file)).find((node) => node.name === name).parameters;
  const listOf = (list: any[]) => ({ all: () => list.map((json) => ({ json })), first: () => ({ json: list[0] }) });
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const code = new Function('$input', '$', jsCode);
  return code(listOf(given.input), (node: string) => listOf(given.nodes[node] ?? []));
}

/** The message of Pause Queue if Redis stops answering at that step. */
async function pauseErrorIf(step: 'the counts are read' | 'the script is sent'): Promise<string> {
  const lost = () => Promise.reject(new Error('The connection was lost'));
  const exec = () => (step === 'the counts are read' ? lost() : Promise.resolve(Array(8).fill([null, 0])));
  const reading: object = new Proxy({}, { get: (_, name) => (name === 'exec' ? exec : () => reading) });
  const access = { client: { multi: () => reading }, queue: { pause: lost } };
  const address = { redis: { nodes: [] }, prefix: 'bull', queue: 'jobs' };
  const connection = { address, ask: (request: (access: unknown) => unknown) => request(access) };
  return setPaused(connection as never, true).then(
    () => 'no error',
    ({ message }: Error) => message,
  );
}

describe('maintenance-window', () => {
  const { connections, settings, nodes } = load('maintenance-window.json');
  const next = (name: string, output: number) => connections[name].main[output].map(({ node }: any) => node);

  test("n8n's execution timeout does not end it between pause and resume", () => {
    expect(settings.executionTimeout).toBe(-1);
  });

  test('does not lift a pause that somebody else set', () => {
    expect(next('Paused by This?', 1)).toEqual(['Paused Before']);
    expect(connections['Paused Before']).toBeUndefined();
  });

  test('resumes the queue after a failed pause only if the outcome of the pause is unknown', async () => {
    expect(next('Pause Queue', 1)).toEqual(['Outcome Unknown?']);
    expect(next('Outcome Unknown?', 0)).toEqual(['Resume Queue']);
    expect(next('Outcome Unknown?', 1)).toEqual(['Not Paused']);
    expect(next('Not Paused', 0)).toEqual(['Pause Failed']);
    expect(connections['Pause Failed']).toBeUndefined();
    const { parameters } = nodes.find(({ name }: any) => name === 'Outcome Unknown?');
    const [{ leftValue }] = parameters.conditions.conditions;
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    const isUnknown = new Function('$json', `return (${leftValue.replace(/^=\{\{|\}\}$/g, '')})`);
    expect(isUnknown({ error: await pauseErrorIf('the script is sent') })).toBe(true);
    expect(isUnknown({ error: await pauseErrorIf('the counts are read') })).toBe(false);
    expect(isUnknown({ error: { message: 'n8n failed' } })).toBe(false);
  });

  test('reports the known facts in its message', () => {
    const { jsonBody } = nodes.find(({ name }: any) => name === 'Message').parameters;
    const text = (drained: object, pools: string[] = [], poolsComplete = true): string => {
      const given: Record<string, object> = {
        ...{ 'Wait Until Drained': drained, 'Pause Queue': { pools, poolsComplete }, Settings: { drainSeconds: 600 } },
      };
      // eslint-disable-next-line @typescript-eslint/no-implied-eval
      const body = new Function('$', `return (${jsonBody.replace(/^=\{\{|\}\}$/g, '')})`);
      return body((name: string) => ({ first: () => ({ json: given[name] }) })).text;
    };
    expect(text({ drained: true })).toMatch(/no execution runs: the maintenance begins/);
    expect(text({ drained: true }, ['bull:jobs-a'])).toMatch(/bull:jobs-a.*begins/);
    expect(text({ drained: true }, [], false)).toMatch(/search for worker pools was cut short: the maintenance begins/);
    expect(text({ drained: false })).toMatch(/600 s.*cancelled/);
    expect(text({ error: 'lost' })).toMatch(/could not be read.*lost/);
  });
});

/** The values of the Settings node that are not expressions. */
const settingsOf = (file: string): Record<string, any> => {
  const { assignments } = nodesOf(load(file)).find(({ name }) => name === 'Settings').parameters.assignments;
  return Object.fromEntries(assignments.map(({ name, value }: any) => [name, value]));
};

describe('backlog-alarm', () => {
  const file = 'backlog-alarm.json';
  const settings = settingsOf(file);
  const { raiseWaiting, clearWaiting, raiseAgeSeconds, clearAgeSeconds } = settings;
  const look = (waiting: number, ageSeconds = 0, paused = 0) =>
    runCodeNode(file, 'Hysteresis', {
      nodes: { Settings: [settings] },
      input: [{ waiting, paused, oldestWaitingAgeMs: ageSeconds === 0 ? null : ageSeconds * 1000 }],
    }).map(({ json }) => json.alarm);

  test('reports a backlog that is too large and one that is small again, and nothing between the thresholds', () => {
    expect(clearWaiting).toBeLessThan(raiseWaiting);
    expect(look(raiseWaiting)).toEqual([true]);
    expect(look(raiseWaiting - 1)).toEqual([]);
    expect(look(clearWaiting + 1)).toEqual([]);
    expect(look(clearWaiting)).toEqual([false]);
  });

  test('also considers the age of the oldest job and the jobs of a paused queue', () => {
    expect(look(1, raiseAgeSeconds)).toEqual([true]);
    expect(look(1, clearAgeSeconds + 1)).toEqual([]);
    expect(look(1, clearAgeSeconds)).toEqual([false]);
    expect(look(0, 0, raiseWaiting)).toEqual([true]);
  });
});

describe('rescue-by-hand', () => {
  const file = 'rescue-by-hand.json';
  const crashed = (id: string, more: object = {}) => ({
    ...{ id, status: 'crashed', mode: 'webhook', workflowId: 'w1' },
    ...more,
  });
  const chosen = (input: any[], atMost = 20) =>
    runCodeNode(file, 'To retry', {
      input,
      nodes: { Settings: [{ ...settingsOf(file), atMost }], 'Tagged Workflows': [{ id: 'w1' }, { id: 'w2' }] },
    }).map(({ json }) => json.id);

  test('retries crashed executions of tagged workflows, the oldest first, up to the limit', () => {
    const others = ['error', 'success', 'running', 'canceled'].map((status, i) => ({ ...crashed(`${i}`), status }));
    const listed = [crashed('30'), crashed('9', { workflowId: 'w2' }), crashed('20', { workflowId: 'w3' }), ...others];
    expect(chosen(listed)).toEqual(['9', '30']);
    expect(chosen(listed, 1)).toEqual(['9']);
    expect(chosen([{ error: 'n8n does not answer' }, {}])).toEqual([]);
  });

  test.each(['new', 'running', 'waiting', 'error', 'crashed', 'canceled'])(
    'retries no execution whose retry is %s',
    (status) => {
      expect(chosen([crashed('1'), crashed('2'), { id: '5', status, workflowId: 'w1', retryOf: '1' }])).toEqual(['2']);
    },
  );

  test('retries no execution whose retry succeeded, and no retry itself', () => {
    expect(chosen([crashed('1', { retrySuccessId: '4' }), crashed('2', { retryOf: '1' })])).toEqual([]);
  });

  test('retries no execution that a parent workflow or a person starts again', () => {
    const of = (mode: string, i: number) => crashed(`${i}`, { mode });
    expect(chosen(['integrated', 'manual', 'trigger', 'error'].map(of))).toEqual(['2', '3']);
  });

  test('retries an execution in two lists once', () => {
    expect(chosen([crashed('1'), crashed('1')])).toEqual(['1']);
  });
});
