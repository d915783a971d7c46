import type { ValidateOptions } from '../../../capacity/src/plan/options.js';
import type { ProvisionerName } from '../../../capacity/src/model/run.js';
import type { GeneratorPlace } from '../../../capacity/src/model/step.js';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { soakCommand } from '../../../capacity/src/commands/soak.js';
import { planFromOptions } from '../../../capacity/src/plan/validate.js';
import type { LoadPlan, Plan, CustomWorkflow } from '../../../capacity/src/model/plan.js';
import { soakPlan, type SoakOptions } from '../../../capacity/src/plan/soak.js';
import { soakCommands } from '../../../capacity/src/recommend/soak-command.js';
import { goodStep, plan, regular, runRecord } from '../support/index.js';

const folder = mkdtempSync(join(tmpdir(), 'soak-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The command for the first load of a plan, by lines. */
function linesOf(changes: Partial<Plan>, provisioner: ProvisionerName = 'process', place: GeneratorPlace = 'machine') {
  const run = runRecord({ plan: plan(changes), deployment: regular({ provisioner }) });
  const steps = [goodStep({ k6: { exitCode: 0, cpuShare: 0.1, samples: '', place } })];
  return soakCommands({ run, steps }, () => 26.000000000000004, 'v.yaml')[0]!.split('\n');
}

const START = 'n8n-capacity soak -f v.yaml --rate 26/s --duration 2h --horizon 1d';
const SLO = '--slo p95=800ms,p99=2000ms,errors=1%';
const ACK = `${START} --workload webhook-ack ${SLO}`;

const own = (changes: Partial<CustomWorkflow> = {}): Plan['loads'] => [
  {
    name: 'order',
    parts: [{ workload: 'webhook', weight: 1 }],
    serviceSeconds: { webhook: 0 },
    executionSeconds: { webhook: 0 },
    custom: {
      file: '/w/order.json',
      subWorkflows: [],
      id: 'abc',
      name: 'Order',
      path: '/webhook/order',
      method: 'POST',
      responseMode: 'onReceived',
      proof: 'status',
      ...changes,
    },
  },
];
const load = (changes: Partial<LoadPlan>): Plan['loads'] => [{ ...plan().loads[0]!, ...changes }];
/** A comment that names flags which are not recorded, and no others. */
const missing = (flags: string) => expect.stringMatching(new RegExp(`^# [^-]*: ${flags}$`)) as string;
const ORDER = `${START} --workflow /w/order.json --webhook /webhook/order --method POST`;

/** A comment below the command. */
const COMMENT = expect.stringMatching(/^# /) as string;

test.each<[string, Parameters<typeof linesOf>, string[]]>([
  ['a workload', [{}], [ACK]],
  [
    'its parameters, and its objectives',
    [
      {
        loads: load({ name: 'webhook-wait', parts: [{ workload: 'webhook-wait', weight: 1 }] }),
        scriptEnv: { SECONDS: '2' },
        slo: { p95: 0.25, errors: 0.001 },
      },
    ],
    [`${START} --workload webhook-wait --query seconds=2 --slo p95=250ms,errors=0.1%`],
  ],
  [
    'times that are not the default',
    [{ warmupSeconds: 10, drainSeconds: 0.5, timeoutSeconds: 90 }],
    [`${ACK} --warmup 10000ms --drain 500ms --timeout 90000ms`],
  ],
  [
    'a mix',
    [
      {
        loads: load({
          name: 'mix',
          parts: [
            { workload: 'webhook-ack', weight: 3 },
            { workload: 'webhook-wait', weight: 0.5 },
          ],
        }),
        scriptEnv: { SECONDS: '2' },
      },
    ],
    [`printf '%s\\n' 'webhook-ack: 3' 'webhook-wait: 0.5' | ${START} --mix /dev/stdin --query seconds=2 ${SLO}`],
  ],
  ['a workflow', [{ loads: own() }], [`${ORDER} ${SLO}`, missing('--allow-side-effects')]],
  [
    'a workflow whose webhook has the id of that run',
    [{ loads: own({ path: '/webhook/abc/webhook/order' }) }],
    [`${START} --workflow /w/order.json --method POST ${SLO}`, missing('--webhook, --allow-side-effects')],
  ],
  [
    'files from where it was started',
    [{ loads: own({ file: 'order.json', path: '/webhook/o?a=1&b=2' }) }],
    [
      `${START} --workflow order.json --webhook '/webhook/o?a=1&b=2' --method POST ${SLO}`,
      missing('--allow-side-effects'),
      COMMENT,
    ],
  ],
  [
    'a cluster',
    [{}, 'kubernetes', 'own-node'],
    [`${ACK} --provisioner kubernetes`, missing('--kube-context, --generators')],
  ],
  [
    'a workflow in a cluster',
    [{ loads: own() }, 'kubernetes', 'own-node'],
    [`${ORDER} ${SLO} --provisioner kubernetes`, missing('--kube-context, --generators, --allow-side-effects')],
  ],
])('%s is driven again as it was', (_, args, lines) => {
  expect(linesOf(...args)).toEqual(lines);
});

test('without a rate there is no command', () => {
  expect(soakCommands({ run: runRecord(), steps: [] }, () => undefined, 'v.yaml')).toEqual([]);
});

/** What a shell makes of a command, where `n8n-capacity` is another one. */
const inShell = async (lines: string[], instead: string) =>
  (await execa('sh', ['-c', lines.join('\n').replace('n8n-capacity', instead)])).stdout;

test('a shell and soak make the same load of it, whatever is in its files and names', async () => {
  const odd = join(folder, 'it\'s $(touch x) `y` "z" \\ #');
  mkdirSync(odd);
  const written = (name: string, content: unknown) => {
    writeFileSync(join(odd, name), JSON.stringify(content), { mode: 0o600 });
    return join(odd, name);
  };
  const node = (type: string, parameters: object, more: object = {}) => ({
    ...{ name: type, type: `n8n-nodes-base.${type}`, typeVersion: 1, position: [0, 0], parameters, ...more },
  });
  const options: ValidateOptions = {
    workflow: written('order.json', {
      id: 'order',
      name: 'Order',
      nodes: [node('webhook', { path: 'order', httpMethod: ['POST', 'PUT'] }, { webhookId: 'w' })],
      connections: {},
    }),
    subWorkflow: ['a b.json', "c'd.json"].map((name, i) =>
      written(name, { id: `sub${i}`, name, nodes: [node('noOp', {})], connections: {} }),
    ),
    credentials: written('credentials.json', []),
    webhook: '/webhook/order?source=a b&x=$HOME',
    method: 'PUT',
    body: written('body.json', {}),
    headers: written('headers.json', {}),
    expectStatus: '201',
    serviceTime: '1500ms',
    executionTime: '4s',
    slo: 'p50=100ms,errors=2%',
    warmup: '5s',
    drain: '1m',
    timeout: '20s',
  };
  const asked = planFromOptions(options);
  const words = (await inShell(linesOf(asked), String.raw`printf '%s\0'`)).split('\0').slice(1, -1);
  let read: SoakOptions | undefined;
  const values = join(folder, 'v.yaml');
  writeFileSync(values, '{}');
  soakCommand(new AbortController().signal)
    .exitOverride()
    .action((given: SoakOptions) => void (read = { ...given, values: [values] }))
    .parse(words, { from: 'user' });
  const { loads, scriptEnv, slo, warmupSeconds, drainSeconds, timeoutSeconds } = asked;
  expect(soakPlan(read!)).toMatchObject({ loads, scriptEnv, slo, warmupSeconds, drainSeconds, timeoutSeconds });
});

test('a mix comes to the input of the command as its file was', async () => {
  const parts = [
    { workload: 'webhook-ack', weight: 3 },
    { workload: 'cpu-burn', weight: 0.001 },
  ];
  const lines = linesOf({ loads: load({ name: 'mix', parts }) });
  expect(await inShell(lines, 'cat;:')).toBe('webhook-ack: 3\ncpu-burn: 0.001');
});
