import { ApiError, at, Metrics, POLICY, Rescue, type Api, type Fate, type Listed } from './files.js';

/** n8n's list of executions in memory, with the answers of its API. */
class Stub implements Api {
  retried: string[] = [];
  /** Lists of a workflow that were asked for. */
  lists = 0;
  answer: (id: string) => Promise<void> = () => Promise.resolve();
  constructor(readonly listed: Listed[]) {}
  waits = false;
  taggedWorkflows = () => Promise.resolve(new Map([['w', { waits: this.waits }]]));
  execution = (id: string) => Promise.resolve(this.listed.find((one) => String(one.id) === id)!);
  executions({ status, workflowId, startedBefore }: Record<string, string>) {
    if (workflowId) this.lists++;
    return Promise.resolve(
      this.listed.filter(
        (one) =>
          one.status === status &&
          (!workflowId || one.workflowId === workflowId) &&
          (!startedBefore || one.startedAt! < startedBefore),
      ),
    );
  }
  retry(id: string) {
    this.retried.push(id);
    return this.answer(id);
  }
}

const lost = (id: number, given: Partial<Listed> = {}): Listed => ({
  ...{ id, workflowId: 'w', status: 'crashed', mode: 'webhook', startedAt: at(0), stoppedAt: at(100) },
  ...given,
});

function rescuing(listed: Listed[], policy = {}) {
  const api = new Stub(listed);
  const metrics = new Metrics();
  const reports: Fate[][] = [];
  let isTaken = true;
  const report = (left: Fate[]) => {
    reports.push(left);
    return isTaken ? Promise.resolve() : Promise.reject(new Error('no'));
  };
  const rescue = new Rescue({
    ...{ api, metrics, report, policy: { ...POLICY, ...policy } },
    ...{ now: () => 500_000, log: () => {} },
  });
  const look = async () => void (await Promise.all(await rescue.look()));
  return { api, metrics, reports, rescue, look, refuseReports: (refuse: boolean) => (isTaken = !refuse) };
}

test('executions of tagged workflows are retried, the others are counted', async () => {
  const { api, metrics, look } = rescuing([lost(1), lost(2, { workflowId: 'other' })]);
  await look();
  expect(api.retried).toEqual(['1']);
  expect(metrics.text).toContain('n8n_rescue_executions{fate="due"} 1\n');
  expect(metrics.text).toContain('n8n_rescue_executions{fate="untagged"} 1\n');
  expect(metrics.text).toContain('n8n_rescue_retries_total{result="ended"} 1\n');
});

test('retries at most the allowed number at once, and none twice while its retry runs', async () => {
  const { api, metrics, rescue } = rescuing([lost(1), lost(2), lost(3)]);
  const open: Array<() => void> = [];
  api.answer = () => new Promise((resolve) => open.push(resolve));
  void (await rescue.look());
  void (await rescue.look());
  expect(api.retried).toEqual(['1', '2']);
  expect(metrics.text).toContain('n8n_rescue_executions{fate="running"} 2\n');
  api.listed[0]!.retrySuccessId = '9';
  open[0]!();
  await new Promise(setImmediate);
  expect(api.retried).toEqual(['1', '2', '3']);
});

test('a retry that n8n does not save is not repeated: it may have done the work', async () => {
  const listed = [lost(1)];
  const { api, reports, rescue } = rescuing(listed);
  let now = 500_000;
  rescue.now = () => (now += 60_000);
  for (let i = 0; i < 5; i++) await Promise.all(await rescue.look());
  expect(api.retried).toEqual(['1']);
  expect(reports).toEqual([[expect.objectContaining({ id: '1', fate: 'unlisted' })]]);
});

test('the retries of a failed execution are not read at each poll, and it counts as rescued once a person has retried it', async () => {
  const retry = { ...lost(2), mode: 'retry', status: 'error', retryOf: '1' };
  const { api, metrics, look } = rescuing([lost(1), retry]);
  await look();
  const once = api.lists;
  expect(once).toBeGreaterThan(0);
  for (let i = 0; i < 5; i++) await look();
  expect(api.lists).toBe(once);
  expect(metrics.text).toContain('n8n_rescue_executions{fate="failed"} 1\n');
  retry.retrySuccessId = '3';
  for (let i = 0; i < 10; i++) await look();
  expect(api.lists).toBe(2 * once);
  expect(metrics.text).toContain('n8n_rescue_executions{fate="rescued"} 1\n');
});

test('executions are retried one after the other within a poll, as soon as there is room', async () => {
  const { api, look } = rescuing(Array.from({ length: 9 }, (_, i) => lost(i + 1)));
  await look();
  expect(api.retried).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
});

test('an execution that is retried or answered while the lists are read is not retried twice', async () => {
  const { api, rescue } = rescuing([lost(1), lost(2), lost(3)], { atOnce: 1 });
  let now = 500_000;
  rescue.now = () => ++now;
  const answers: Array<() => void> = [];
  api.answer = () => new Promise((resolve) => answers.push(resolve));
  void (await rescue.look());
  const executions = api.executions.bind(api);
  // The first one is answered in the middle of the next look, and the second one is started then.
  api.executions = async (query) => {
    if (query.status === 'running' && query.startedBefore) {
      answers.shift()?.();
      await new Promise(setImmediate);
    }
    return executions(query);
  };
  void (await rescue.look());
  expect(api.retried).toEqual(['1', '2']);
  answers.shift()!();
  await new Promise(setImmediate);
  expect(api.retried).toEqual(['1', '2', '3']);
});

test('a retry without an answer is looked for in the list', async () => {
  const { api, look } = rescuing([lost(1)]);
  api.answer = () => Promise.reject(new Error('socket hang up'));
  await look();
  api.listed.push(lost(2, { status: 'running', mode: 'retry', retryOf: '1' }));
  await look();
  expect(api.retried).toEqual(['1']);
});

test('an execution that n8n cannot retry is reported once and not tried again', async () => {
  const { api, reports, look } = rescuing([lost(1)]);
  api.answer = () => Promise.reject(new ApiError('POST', '/executions/1/retry', 409, ''));
  for (let i = 0; i < 3; i++) await look();
  expect(api.retried).toEqual(['1']);
  expect(reports).toEqual([[{ id: '1', workflowId: 'w', tries: 0, fate: 'failed' }]]);
});

test.each([401, 403, 500])('after an answer %d it is tried again, as often as allowed', async (status) => {
  const { api, reports, look } = rescuing([lost(1)], { maxTries: 2 });
  api.answer = () => Promise.reject(new ApiError('POST', '/executions/1/retry', status, ''));
  await look();
  await look();
  expect({ retried: api.retried, reports }).toEqual({ retried: ['1', '1'], reports: [] });
  await look();
  expect(api.retried).toEqual(['1', '1']);
  expect(reports).toEqual([[{ id: '1', workflowId: 'w', tries: 0, fate: 'failed' }]]);
});

test('a failing n8n uses up no retry of an execution, and is not called for each one', async () => {
  const many = Array.from({ length: 100 }, (_, i) => lost(i + 1));
  const { api, reports, look } = rescuing(many);
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  api.answer = () => Promise.reject(refused);
  for (let i = 0; i < 5; i++) await look();
  expect(api.retried).toHaveLength(2 * 5);
  expect(reports).toEqual([]);
  api.answer = () => Promise.resolve();
  await look();
  expect(new Set(api.retried).size).toBe(100);
});

test('an execution that a person has retried meanwhile is left alone', async () => {
  const { api, look } = rescuing([lost(1), lost(2)]);
  const asked = api.execution;
  api.execution = async (id) => ({ ...(await asked(id)), ...(id === '1' && { retrySuccessId: '9' }) });
  await look();
  expect(api.retried).toEqual(['2']);
});

test('an API key without the right to read an execution can still retry it', async () => {
  const { api, look } = rescuing([lost(1)]);
  api.execution = () => Promise.reject(new ApiError('GET', '/executions/1', 403, ''));
  await look();
  expect(api.retried).toEqual(['1']);
});

test('a failed poll leaves no state behind', async () => {
  const { api, rescue } = rescuing([lost(1), lost(2), lost(3)], { atOnce: 1 });
  const answers: Array<() => void> = [];
  api.answer = () => new Promise((resolve) => answers.push(resolve));
  const executions = api.executions.bind(api);
  void (await rescue.look());
  api.executions = () => Promise.reject(new Error('no answer within 30 s'));
  await expect(rescue.look()).rejects.toThrow('no answer');
  answers[0]!();
  await new Promise(setImmediate);
  expect(api.retried).toEqual(['1']);
  api.executions = executions;
});

test('of a workflow that waits, a retry that succeeded is seen although n8n does not name it', async () => {
  const success = lost(2, { status: 'success', mode: 'retry', retryOf: '1' });
  const { api, look } = rescuing([lost(1), success]);
  api.waits = true;
  await look();
  expect(api.retried).toEqual([]);
});

test('a report that was not accepted is sent again', async () => {
  const given = [2, 3, 4].map((id) => lost(id, { mode: 'retry', retryOf: '1' }));
  const { reports, look, refuseReports } = rescuing([lost(1), ...given]);
  refuseReports(true);
  await look();
  refuseReports(false);
  await look();
  await look();
  expect(reports.map((left) => left.map(({ fate }) => fate))).toEqual([['given_up'], ['given_up']]);
});

test('executions that run for long are counted', async () => {
  const running = (id: number, second: number) => lost(id, { status: 'running', startedAt: at(second) });
  const { metrics, look } = rescuing([running(1, 99), running(2, 101)], { long: 400_000 });
  await look();
  expect(metrics.text).toContain('n8n_rescue_long_running_executions 1\n');
  expect(metrics.text).toContain('n8n_rescue_last_look_timestamp_seconds 500\n');
});

test('retries that n8n never answers free their slot in the end, are not repeated, and are left to people', async () => {
  let now = 500_000;
  const api = new Stub([lost(1), lost(2), lost(3)]);
  const reports: Fate[][] = [];
  const report = (left: Fate[]) => (reports.push(left), Promise.resolve());
  const metrics = new Metrics();
  const policy = { ...POLICY, long: 60_000 };
  const rescue = new Rescue({ api, metrics, report, policy, now: () => now, log: () => {} });
  // Redis loses the first two.
  api.answer = (id) => (id === '3' ? Promise.resolve() : new Promise(() => {}));
  void (await rescue.look());
  expect(api.retried).toEqual(['1', '2']);
  now += 60_001;
  await Promise.all(await rescue.look());
  expect(api.retried).toEqual(['1', '2', '3']);
  expect(metrics.text).toContain('n8n_rescue_executions{fate="unanswered"} 2\n');
  expect(reports.flat().map(({ id, fate }) => `${id} ${fate}`)).toEqual(['1 unanswered', '2 unanswered']);
});
