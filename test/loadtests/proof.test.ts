import { readFile } from 'node:fs/promises';
import { catalogue, importLib, truth, workloads } from './support.js';

const { expectedAnswer, findFault } = await importLib('proof');

/** The default of each parameter. */
const queryOf = (workload: string): Record<string, number> =>
  Object.fromEntries(Object.entries<any>(catalogue[workload].query).map(([name, range]) => [name, range.default]));

const url = (workload: string) => {
  const parameters = Object.entries(queryOf(workload)).map(([name, value]) => `${name}=${value}`);
  return `${catalogue[workload].path}?${parameters.join('&')}`;
};

const judge = (workload: string, answer: unknown, { status = 200, durationMs = 60_000 } = {}) =>
  findFault(expectedAnswer(workload, queryOf(workload)), {
    status,
    timings: { duration: durationMs },
    body: typeof answer === 'string' || answer === null ? answer : JSON.stringify(answer),
  });

describe('findFault', () => {
  it.each(workloads)('finds none in the true answer of %s', (workload) => {
    expect(judge(workload, truth(url(workload)))).toBeUndefined();
  });

  it.each([
    ['', 'json'],
    [null, 'json'],
    ['null', 'json'],
    ['"wait"', 'json'],
    ['<!DOCTYPE html><title>n8n</title>', 'json'],
    [[truth(url('webhook-wait'))], 'json'],
    [{}, 'operation'],
    [{ message: 'Workflow was started' }, 'operation'],
    [{ ...truth(url('webhook-wait')), operation: 'identify' }, 'operation'],
    [{ ...truth(url('webhook-wait')), ms: 50 }, 'parameter'],
    [{ ...truth(url('webhook-wait')), ms: '5000' }, 'parameter'],
    [{ ...truth(url('webhook-wait')), ms: 4999.999999999999 }, undefined],
    [{ ...truth(url('webhook-wait')), tookMs: 4999.9 }, 'took'],
    [{ ...truth(url('webhook-wait')), tookMs: '5001' }, 'took'],
    [{ ...truth(url('webhook-wait')), tookMs: undefined }, 'took'],
    [{ ...truth(url('webhook-wait')), tookMs: 5000 }, undefined],
    [{ ...truth(url('webhook-wait')), identity: undefined }, 'identity'],
    [{ ...truth(url('webhook-wait')), identity: { pid: 0 } }, 'identity'],
    [{ ...truth(url('webhook-wait')), identity: { pid: 1.5 } }, 'identity'],
    [{ ...truth(url('webhook-wait')), identity: { pid: '12' } }, 'identity'],
  ])('of a wait that answers %j is %s', (answer, expected) => {
    expect(judge('webhook-wait', answer)).toBe(expected);
  });

  it.each([
    ['webhook-ack-wait', { message: 'Workflow started' }, 'message'],
    ['webhook-ack-wait', {}, 'message'],
    ['memory-hog', { ...truth(url('memory-hog')), mb: 1 }, 'parameter'],
    ['memory-hog', { ...truth(url('memory-hog')), where: 'offHeap' }, 'parameter'],
    ['memory-hog', { ...truth(url('memory-hog')), tookMs: 10 }, 'took'],
    ['cpu-burn', { ...truth(url('cpu-burn')), n: 50 }, 'parameter'],
    ['cpu-burn', { ...truth(url('cpu-burn')), result: 0 }, 'parameter'],
    ['transform', { ...truth(url('transform')), bytes: 100 }, 'parameter'],
    ['http-fan-out', { ...truth(url('http-fan-out')), failed: 1 }, 'parameter'],
    ['event-loop-block', { ...truth(url('event-loop-block')), tookMs: 499 }, 'took'],
    ['code', { ...truth(url('code')), checksum: 0 }, 'parameter'],
    ['code', { ...truth(url('code')), operation: 'identify' }, 'operation'],
    ['webhook-expression', { ...truth(url('webhook-expression')), total: 3701 }, 'parameter'],
    ['webhook-expression', { ...truth(url('webhook-expression')), due: '2026-01-33' }, 'parameter'],
    ['webhook-expression', { ...truth(url('webhook-expression')), order: '={{ $json.query.order }}' }, 'parameter'],
    ['respond-node', { operation: 'identify' }, 'operation'],
    ['sub-workflow', { headers: {}, params: {}, query: {}, body: {} }, 'operation'],
  ])('of %s that answers %j is %s', (workload, answer, expected) => {
    expect(judge(workload, answer)).toBe(expected);
  });

  const documents = (count: number, kb: number) => truth(`/webhook/payload?items=${count}&kb=${kb}`) as object[];
  const [first, second, third] = documents(3, 2);

  it.each([
    ['the documents', [first, second, third], undefined],
    ['one too few', [first, second], 'documents'],
    ['one too many', [first, second, third, third], 'documents'],
    ['another order', [first, third, second], 'documents'],
    ['the same twice', [first, second, second], 'documents'],
    ['shorter ones', documents(3, 1), 'documents'],
    ['nothing', [], 'documents'],
    ['the first alone', first, 'json'],
    ['no JSON', 'no', 'json'],
  ])('of a payload that answers with %s', (_, answer, expected) => {
    const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const asked = expectedAnswer('payload', { items: 3, kb: 2 });
    expect(findFault(asked, { status: 200, timings: { duration: 10 }, body })).toBe(expected);
  });

  const entries = truth('/webhook/code-each-item?items=3') as Record<string, unknown>[];

  it.each([
    ['the items', entries, undefined],
    ['one too few', entries.slice(1), 'documents'],
    ['another order', entries.toReversed(), 'documents'],
    ['what another item has', entries.map((each) => ({ ...each, checksum: entries[0]!.checksum })), 'documents'],
    ['the first alone', entries[0], 'json'],
  ])('of code-each-item that answers with %s', (_, answer, expected) => {
    const asked = expectedAnswer('code-each-item', { items: 3 });
    expect(findFault(asked, { status: 200, timings: { duration: 10 }, body: JSON.stringify(answer) })).toBe(expected);
  });

  it.each([
    [0, 'no-answer'],
    [201, 'status'],
    [302, 'status'],
    [403, 'status'],
    [500, 'status'],
  ])('of status %i is %s, whatever the body', (status, expected) => {
    expect(judge('webhook-ack', truth(url('webhook-ack')), { status })).toBe(expected);
  });

  it('is early if the answer came before the work can be done', () => {
    expect(judge('webhook-wait', truth(url('webhook-wait')), { durationMs: 20 })).toBe('early');
    expect(judge('webhook-wait', truth(url('webhook-wait')), { durationMs: 4995 })).toBeUndefined();
  });
});

describe('expectedAnswer', () => {
  it.each([
    [1, 0],
    [2, 1],
    [50, 1225],
    [100_000_000, 4_999_999_950_000_000],
    [10_000_000_000, 10_000_000_000],
  ])('of counting to %i is the checksum %i', (n, result) => {
    expect(expectedAnswer('cpu-burn', { n }).parameters).toEqual({ n, result });
  });

  it('of the Code node equals the result of its code', async () => {
    const { nodes } = JSON.parse(await readFile(new URL('../../workflows/code.json', import.meta.url), 'utf8'));
    const { jsCode } = nodes.find(({ type }: { type: string }) => type === 'n8n-nodes-base.code').parameters;
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    const [{ json }] = new Function(jsCode)();
    const { operation, parameters } = expectedAnswer('code', {});
    expect(json).toEqual({ operation, ...parameters });
  });

  it('of the Code node for each item equals the result of its code', async () => {
    const file = new URL('../../workflows/code-each-item.json', import.meta.url);
    const { nodes } = JSON.parse(await readFile(file, 'utf8'));
    const { jsCode } = nodes.find(({ type }: { type: string }) => type === 'n8n-nodes-base.code').parameters;
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    const each = new Function('$json', jsCode);
    const made = [0, 1, 2].map((index) => each({ index, orders: [] }).json);
    expect(made).toEqual(expectedAnswer('code-each-item', { items: 3 }).entries);
  });

  it('refuses a workload without a declared answer', () => {
    expect(() => expectedAnswer('toString', {})).toThrow('toString');
  });
});

describe('an answer of built-in nodes', () => {
  const judgeBuiltIn = (answer: object, durationMs = 60_000) =>
    findFault(expectedAnswer('webhook-wait', { seconds: 5 }, true), {
      status: 200,
      timings: { duration: durationMs },
      body: JSON.stringify(answer),
    });

  it('needs neither process nor duration', () => expect(judgeBuiltIn({ operation: 'wait', ms: 5000 })).toBeUndefined());

  it.each([
    [{ operation: 'identify', ms: 5000 }, 60_000, 'operation'],
    [{ operation: 'wait', ms: 10 }, 60_000, 'parameter'],
    [{ operation: 'wait', ms: 5000 }, 100, 'early'],
  ])('%j after %d ms is wrong (%s)', (answer, ms, wrong) => expect(judgeBuiltIn(answer, ms)).toBe(wrong));
});
