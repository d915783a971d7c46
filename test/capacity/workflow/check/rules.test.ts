import { EXAMPLES, WORKFLOWS } from '../../../../bench/check/examples.js';
import { checkWorkflow, rankChoices, hasCostAbove } from '../../../../capacity/src/workflow/check/check.js';
import { fixWorkflow } from '../../../../capacity/src/workflow/check/fix.js';
import type { Circumstances } from '../../../../capacity/src/workflow/check/circumstances.js';
import type { Gains } from '../../../../capacity/src/workflow/check/gains.js';
import { RULES } from '../../../../capacity/src/workflow/check/rules.js';
import type { Workflow } from '../../../../capacity/src/workflow/file.js';
import { hook, node, workflow } from '../../plan/custom-workflow/workflows.js';

const HERE: Circumstances = {
  n8n: '2.41.1',
  engine: 'vm',
  lazy: true,
  skips: true,
  cheaperIsolates: true,
  mode: 'regular',
  database: 'sqlite',
  filesInMemory: true,
};
const NOTHING: Gains = { cpus: 2, cpuModel: 'any', versions: { k6: 'v2.2.0' }, where: HERE, gains: [], memory: [] };
const to = (...names: string[]) => ({ main: [names.map((name) => ({ node: name, type: 'main', index: 0 }))] });
const QUIET = { executionTimeout: 60, errorWorkflow: 'errors' };

/** A workflow of nodes that run one after the other. */
const flow = (nodes: object[], settings: object = {}): Workflow => {
  const names = nodes.map((each) => (each as { name: string }).name);
  const connections = Object.fromEntries(names.map((name, i) => [name, to(...names.slice(i + 1, i + 2))]));
  const made = workflow(nodes, { id: 'check', connections, settings: { ...QUIET, ...settings } });
  return made as unknown as Workflow;
};
const findRules = (checked: Workflow) =>
  checkWorkflow(checked, NOTHING, HERE).map(({ rule, places }) => [rule, places.map((p) => p.what ?? p.node ?? '')]);
const hook21 = (parameters: object = {}) => hook(parameters, { typeVersion: 2.1 });

test('a workflow with none of the choices has no finding', () => {
  expect(findRules(flow([hook21(), node('noOp')]))).toEqual([]);
});

test.each<[string, object[], object, unknown]>([
  ['webhook-version-1', [hook()], {}, ['Webhook']],
  ['webhook-expression', [hook21({ options: { responseData: '={{ 1 }}' } })], {}, ['Webhook']],
  ['trigger-isolate', [node('formTrigger')], {}, ['formTrigger']],
  ['trigger-isolate', [node('githubTrigger', {}, { webhookId: 'a' })], {}, ['githubTrigger']],
  ['expressions', [hook21(), node('set', { a: { b: ['={{ 1 }}', '=2'] } })], {}, ['2 expressions']],
  ['expressions', [hook21(), node('html', { html: '<h1>{{ $json.title }}</h1>' })], {}, ['1 expression']],
  ['expressions', [hook21(), node('postgres', { query: 'select {{ $json.id }}' })], {}, ['1 expression']],
  [
    'expressions',
    [hook21(), node('merge', {}, { typeVersion: 3.2 })],
    {},
    [
      'evaluates its number of inputs, whatever its parameters are; nodes that run one after another need no Merge node',
    ],
  ],
  ['code-each-item', [node('code', { mode: 'runOnceForEachItem' })], {}, ['code']],
  ['code-each-item', [node('functionItem')], {}, ['functionItem']],
  ['sub-workflow', [node('executeWorkflow')], {}, ['executeWorkflow']],
  ['loop', [node('splitInBatches', {}, { typeVersion: 3 })], {}, ['1 at once']],
  ['loop', [node('splitInBatches')], {}, ['10 at once']],
  ['loop', [node('splitInBatches', { batchSize: 50 }, { typeVersion: 3 })], {}, ['50 at once']],
  ['saves-progress', [hook21()], { saveExecutionProgress: true }, ['']],
  ['wait-database', [node('wait', { amount: 2, unit: 'minutes' })], {}, ['2 minutes']],
  ['wait-database', [node('wait', { amount: '10', unit: 'minutes' })], {}, ['10 minutes']],
  ['wait-database', [node('wait')], {}, ['1 hours']],
  ['wait-database', [node('wait', { resume: 'webhook' })], {}, ['until a webhook resumes it']],
  ['wait-memory', [node('wait', { amount: 64, unit: 'seconds' })], {}, ['wait']],
  ['wait-memory', [node('wait', {}, { typeVersion: 1.1 })], {}, ['wait']],
  ['wait-database', [node('wait', { resume: 'specificTime' })], {}, ['until a given time']],
  ['holds-request', [hook21({ responseMode: 'lastNode' })], {}, ['responds by lastNode']],
  ['holds-request', [hook21({ responseMode: 'streaming' })], {}, ['responds by streaming']],
  ['holds-request', [hook21({ responseMode: 'responseNode' }), node('noOp')], {}, ['responds by responseNode']],
  ['binary-data', [node('convertToFile')], {}, ['convertToFile']],
  [
    'binary-data',
    [node('httpRequest', { options: { response: { response: { responseFormat: 'file' } } } })],
    {},
    ['httpRequest'],
  ],
  ['no-error-workflow', [hook21()], { errorWorkflow: undefined }, ['']],
  ['no-timeout', [hook21()], { executionTimeout: -1 }, ['']],
])('%s: %j', (rule, nodes, settings, places) => {
  expect(findRules(flow(nodes, settings))).toEqual([[rule, places]]);
});

test('a public chat takes an isolate for each message, and holds it', () => {
  const chat = '@n8n/n8n-nodes-langchain.chatTrigger';
  expect(findRules(flow([node(chat, { public: true })]))).toEqual([
    ['trigger-isolate', [chat]],
    ['holds-request', ['responds by lastNode']],
  ]);
});

test('checkWorkflow reports no choice that costs nothing', () => {
  const nodes = [
    hook({}, { disabled: true }),
    hook({}, { typeVersion: 1.1 }),
    node('code', { mode: 'runOnceForAllItems' }),
    node('executeWorkflow', { options: { waitForSubWorkflow: false } }),
    node('stickyNote', { content: '=not evaluated' }),
    node('httpRequest', { url: 'http://127.0.0.1' }),
    node('scheduleTrigger'),
    node('merge', {}, { typeVersion: 2 }),
    // Only the editor calls it.
    node('@n8n/n8n-nodes-langchain.chatTrigger'),
  ];
  expect(findRules(flow(nodes))).toEqual([]);
});

test('a node that no production execution reaches costs nothing', () => {
  const expression = (name: string) => node('set', { a: '={{ 1 }}' }, { name });
  const nodes = [hook21(), node('manualTrigger'), expression('alone'), expression('by hand'), expression('runs')];
  const agent = [node('@n8n/n8n-nodes-langchain.agent', {}, { name: 'agent' }), expression('tool')];
  const connections = {
    Webhook: to('agent'),
    agent: to('runs'),
    manualTrigger: to('by hand'),
    tool: { ai_tool: [[{ node: 'agent', type: 'ai_tool', index: 0 }]] },
  };
  const checked = { ...flow([...nodes, ...agent]), connections };
  const [finding, ...others] = checkWorkflow(checked, NOTHING, HERE);
  expect(others).toEqual([]);
  expect(finding!.places.map((place) => place.node)).toEqual(['runs', 'tool']);
  // A workflow that only starts by hand is checked whole.
  const byHand = checkWorkflow(flow([node('manualTrigger'), expression('by hand')]), NOTHING, HERE);
  expect(byHand.map(({ rule }) => rule)).toEqual(['expressions']);
});

test('files are in memory by default before n8n 2.0 only', () => {
  const { filesInMemory: _, ...unknown } = HERE;
  const rules = (n8n: string) =>
    checkWorkflow(flow([node('convertToFile')]), NOTHING, { ...unknown, n8n }).map((f) => f.rule);
  expect(rules('2.41.1')).toEqual([]);
  expect(rules('1.123.81')).toEqual(['binary-data']);
});

test("n8n's defaults count where the workflow sets nothing", () => {
  const files = flow([hook21(), node('convertToFile')], { executionTimeout: undefined });
  const rules = (more: Partial<Circumstances>, checked = files) =>
    checkWorkflow(checked, NOTHING, { ...HERE, ...more }).map(({ rule }) => rule);
  expect(rules({})).toEqual(['binary-data', 'no-timeout']);
  expect(rules({ timeout: true, filesInMemory: false })).toEqual([]);
  expect(rules({ timeout: true }, flow([hook21()], { executionTimeout: -1 }))).toEqual(['no-timeout']);
  const progress = (saveExecutionProgress: unknown) => flow([hook21()], { saveExecutionProgress });
  expect(rules({ savesProgress: true }, progress(undefined))).toEqual(['saves-progress']);
  expect(rules({ savesProgress: true }, progress('DEFAULT'))).toEqual(['saves-progress']);
  expect(rules({ savesProgress: true }, progress(false))).toEqual([]);
});

test('the advice is to take isolates lazily if every execution takes one', () => {
  const set = flow([hook21(), node('set', { a: '={{ 1 }}' })]);
  const advice = (more: Partial<Circumstances>) => checkWorkflow(set, NOTHING, { ...HERE, ...more })[0]!.change;
  expect(advice({})).toContain('Code node');
  expect(advice({ lazy: false })).toContain('N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true');
  expect(advice({ lazy: false, engine: 'unknown' })).toContain('Code node');
  expect(advice({ lazy: false, n8n: '2.39.10' })).not.toContain('LAZY_ACQUIRE');
});

test('an Error Trigger and a response before the work are not reported', () => {
  expect(findRules(flow([hook21(), node('errorTrigger')], { errorWorkflow: undefined }))).toEqual([]);
  const answers = flow([hook21({ responseMode: 'responseNode' }), node('respondToWebhook'), node('noOp')]);
  const first = { ...answers, connections: { Webhook: to('respondToWebhook'), respondToWebhook: to('noOp') } };
  const last = { ...answers, connections: { Webhook: to('noOp'), noOp: to('respondToWebhook') } };
  expect(findRules(first)).toEqual([]);
  expect(findRules(last)).toEqual([['holds-request', ['responds by responseNode']]]);
});

test('every rule has its own id', () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
});

test.each(EXAMPLES)('the examples of $rule differ by that choice alone', ({ rule, before, after }) => {
  const rulesOf = (name: string) =>
    checkWorkflow({ id: 'check', name, ...WORKFLOWS[name]! }, NOTHING, HERE).map((f) => f.rule);
  const [with_, without] = [rulesOf(before), rulesOf(after)];
  expect(with_).toContain(rule);
  expect(with_.filter((id) => !without.includes(id))).toEqual([rule]);
});

test('a rule that costs capacity has an example, or names the one that stands for it', () => {
  const measured = EXAMPLES.map(({ rule }) => rule);
  const without = RULES.filter((r) => r.cost === 'capacity' && !measured.includes(r.measuredAs ?? r.id));
  // Clients that wait for answers cannot measure a wait of more than a minute.
  expect(without.map(({ id }) => id)).toEqual(['wait-database']);
});

const gain = (rule: string, before: number[], after: number[]) => {
  const of = (runs: number[]) => ({ name: 'any', perSecond: runs[0]!, runs });
  return { rule, before: of(before), after: of(after) };
};

test('the most expensive choice comes first; one whose runs overlap costs nothing', () => {
  const gains = {
    ...NOTHING,
    gains: [gain('loop', [40], [50]), gain('webhook-version-1', [15], [60]), gain('sub-workflow', [48, 52], [50, 49])],
  };
  const nodes = [hook(), node('executeWorkflow'), node('splitInBatches')];
  const checked = checkWorkflow(flow(nodes), gains, HERE);
  expect(checked.map(({ rule, measured }) => [rule, measured?.share])).toEqual([
    ['webhook-version-1', 0.75],
    ['loop', expect.closeTo(0.2)],
    ['sub-workflow', 0],
  ]);
});

describe('the cost in a deployment is given', () => {
  const gains = {
    ...NOTHING,
    gains: [
      gain('loop', [40], [50]),
      gain('webhook-version-1', [15], [60]),
      gain('webhook-expression', [15], [60]),
      gain('expressions', [30], [60]),
    ],
  };
  const nodes = [hook({ options: { a: '={{ 1 }}' } }), node('splitInBatches'), node('set', { a: '={{ 1 }}' })];
  const findCosts = (here: Partial<Circumstances>) =>
    Object.fromEntries(
      checkWorkflow(flow(nodes), gains, { ...HERE, ...here }).map((f) => [
        f.rule,
        f.measured ? f.measured.share : f.unlike!.length,
      ]),
    );
  const ALL = { loop: 0.2, 'webhook-version-1': 0.75, 'webhook-expression': 0.75, expressions: 0.5 };
  const only = (value: number) => Object.fromEntries(Object.keys(ALL).map((rule) => [rule, value]));

  test.each<[string, Partial<Circumstances>, object]>([
    ['where it was measured', {}, ALL],
    ['with another patch of the version', { n8n: '2.41.9' }, ALL],
    ['not with another minor version', { n8n: '2.42.0' }, only(1)],
    ['not with an unknown version', { n8n: 'unknown', engine: 'unknown' }, only(2)],
    ['not in queue mode with PostgreSQL', { mode: 'queue', database: 'postgresdb' }, only(2)],
    ['not with an isolate for each execution', { lazy: false }, only(1)],
    [
      'not with isolates that cost more, except for a choice that takes none',
      { cheaperIsolates: false },
      { ...only(1), loop: 0.2 },
    ],
    ['in an engine without isolates, for choices that take none', { engine: 'legacy', lazy: false }, { loop: 0.2 }],
    ['not in an older n8n, which has no isolates', { n8n: '2.34.0', engine: 'legacy', lazy: false }, { loop: 1 }],
    ['not for the Webhook node if each request takes an isolate', { skips: false }, { loop: 1, expressions: 1 }],
  ])('%s', (_, here, expected) => {
    const found = findCosts(here);
    expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
    for (const [rule, value] of Object.entries(expected)) expect(found[rule]).toBeCloseTo(value as number);
  });

  it('and an unknown cost is not above any limit', () => {
    expect(hasCostAbove(checkWorkflow(flow(nodes), gains, { ...HERE, n8n: '2.42.0' }), 0)).toBe(false);
  });

  it('and a run names the differences of its deployment', () => {
    const choices = rankChoices([flow(nodes)], gains, { ...HERE, n8n: '2.39.10', lazy: false });
    expect(choices.every(({ share }) => share === undefined)).toBe(true);
    expect(choices.map(({ rule }) => rule).sort()).toEqual(Object.keys(ALL).sort());
    expect(choices[0]!.unlike).toEqual(['n8n 2.39.10', 'an isolate for each execution']);
  });
});

test('--max-cost applies to each choice, not to their sum', () => {
  const gains = { ...NOTHING, gains: [gain('loop', [40], [50]), gain('webhook-version-1', [40], [50])] };
  const checked = checkWorkflow(flow([hook(), node('splitInBatches')]), gains, HERE);
  expect([0.1, 0.19, 0.21, 0.4].map((most) => hasCostAbove(checked, most))).toEqual([true, true, false, false]);
});

test('rankChoices lists the choices with a measured cost, also those of sub-workflows', () => {
  const gains = { ...NOTHING, gains: [gain('loop', [40], [50]), gain('webhook-version-1', [20], [50])] };
  const workflows = [flow([node('splitInBatches')]), flow([hook(), node('executeWorkflow')])];
  expect(rankChoices(workflows, gains, HERE).map(({ rule, nodes, share }) => [rule, nodes, share])).toEqual([
    ['webhook-version-1', ['Webhook'], expect.closeTo(0.6)],
    ['loop', ['splitInBatches'], expect.closeTo(0.2)],
  ]);
});

test('fixWorkflow makes changes that cannot alter what the workflow does, and keeps all else', () => {
  const kept = [
    node('set', { a: '=Off' }, { name: 'Off', disabled: true }),
    node('set', { a: '={{ 1 }}', b: '=12', c: 'x=y' }, { name: 'Evaluates' }),
  ];
  const nodes = [node('set', { a: ['=Hello'] }, { notes: 'kept' }), ...kept];
  const { workflow: made, fixed } = fixWorkflow({ ...flow(nodes), tags: ['kept'] });
  expect(fixed).toEqual([{ rule: 'expressions', node: 'set' }]);
  expect(made).toEqual({
    ...flow([node('set', { a: ['Hello'] }, { notes: 'kept' }), ...kept]),
    tags: ['kept'],
  });
});

test('fixWorkflow leaves fields that n8n checks as fixed text, and parameters that another node reads', () => {
  const locator = { base: { __rl: true, mode: 'id', value: '=Order items' } };
  const untouched = (nodes: object[]) => expect(fixWorkflow(flow(nodes))).toEqual({ workflow: flow(nodes), fixed: [] });
  untouched([node('airtable', locator)]);
  untouched([node('set', { a: '=Hello' }), node('code', { jsCode: "return $('set').params.a" })]);
});

test('each node of the examples has its own id and name, so that n8n can import them', () => {
  for (const { nodes } of Object.values(WORKFLOWS)) {
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
    expect(new Set(nodes.map(({ name }) => name)).size).toBe(nodes.length);
  }
});

test('the memory of a choice is given for each concurrent execution if the runs show it', () => {
  const held = (name: string, ...runs: number[]) => ({ name, mib: runs[1]!, runs });
  const gains = (least: number): Gains => ({
    ...NOTHING,
    memory: [
      { rule: 'wait-memory', held: 200, before: held('waits', 480, 500, 520), after: held('none', 290, 300, least) },
    ],
  });
  const waits = flow([hook21(), node('wait', {}, { typeVersion: 1.1 })]);
  const memoryOf = (most: number, here = HERE) =>
    checkWorkflow(waits, gains(most), here).find(({ rule }) => rule === 'wait-memory');
  expect(memoryOf(310)).toMatchObject({ memoryMib: 1 });
  // A run without the choice took as much.
  expect(memoryOf(490)).toMatchObject({ memoryMib: 0 });
  expect(memoryOf(310, { ...HERE, mode: 'queue' })).toMatchObject({ unlike: ['queue mode'] });
});
