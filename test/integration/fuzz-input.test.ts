import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { commandNamed } from '../support/program.js';
import type { Command } from 'commander';
import fc from 'fast-check';
import { checkFile, fixFile } from '../../capacity/src/workflow/check/check-file.js';
import { KnownError } from '../../capacity/src/core/errors.js';
import { repositoryFolder } from '../../capacity/src/core/paths.js';
import type { Plan } from '../../capacity/src/model/plan.js';
import { burstPlan } from '../../capacity/src/plan/burst.js';
import { payloadLimitPlan } from '../../capacity/src/plan/payload-limit.js';
import { soakPlan } from '../../capacity/src/plan/soak.js';
import { planFromOptions } from '../../capacity/src/plan/validate.js';
import { choosePlace } from '../../capacity/src/provision/choose.js';
import { expectRecordable } from '../capacity/plan/recordable.js';
import { mutationsOf } from '../capacity/record/mutations.js';
import { fuzzOptions } from '../support/fuzz.js';

const BUDGET = fuzzOptions(12);
jest.setTimeout(BUDGET.seconds * 1000 + 120_000);

const folder = mkdtempSync(join(tmpdir(), 'fuzz-input-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'input.json');
const counts: Record<string, { accepted: number; refused: number }> = {};
afterAll(() => console.log(`input: ${JSON.stringify(counts)}`));
afterEach(() => expect(({} as Record<string, unknown>).polluted).toBeUndefined());

/** Whether it is an error for the user: a message, not the stack of a bug. */
const isRefusal = (error: unknown): boolean =>
  error instanceof KnownError || (error instanceof Error && error.name.startsWith('Commander'));

/** The value that was read, or undefined if it was refused with a message. Counts both by the kind of input. */
function readOrRefused<T>(what: string, read: () => T): T | undefined {
  const count = (counts[what] ??= { accepted: 0, refused: 0 });
  try {
    const value = read();
    count.accepted += 1;
    return value;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    expect((error as Error).message).not.toMatch(/\[object Object\]|\n\s+at /);
    count.refused += 1;
    return undefined;
  }
}

/** Turns the options of a command into a plan. */
type Parse = (options: any) => Plan;
/** Name of a command, the command, the flags that it needs, and its parser. */
const COMMANDS: [string, Command, string[], Parse][] = [
  ['validate', await commandNamed('validate'), [], planFromOptions],
  ['soak', await commandNamed('soak'), ['--rate', '10/s', '--duration', '1h'], soakPlan],
  ['burst', await commandNamed('burst'), ['--base', '1/s', '--spike', '20/s', '--for', '30s'], burstPlan],
  ['payload-limit', await commandNamed('payload-limit'), [], payloadLimitPlan],
];

const WORDS = [
  '10/s',
  '0/s',
  '-1',
  '5',
  '1',
  '0',
  '1e9',
  '30s',
  '1m30s',
  '7d',
  '0s',
  '1%',
  '50%',
  '200%',
  '4x',
  'p95=1s',
].concat(
  [
    'errors=1%',
    'p95=800ms,errors=0.1%',
    '5/s,10/s',
    'webhook-ack',
    'cpu-burn',
    'n=5',
    'seconds=2',
    'mb=16',
    'process',
    'even',
  ],
  [
    'kubernetes',
    'existing',
    'poisson',
    'https://n8n.example.org',
    '/webhook/a?b=c',
    'GET',
    'POST',
    '200',
    'a=b',
    'image.tag=2.41.1',
  ],
  [
    '',
    ' ',
    '=',
    '--',
    '-',
    '9'.repeat(400),
    'NaN',
    'Infinity',
    '1/0',
    '\u0000',
    'ä',
    '__proto__',
    'constructor=1',
    '../..',
  ],
);

/** Command lines with a command's flags in any order and number, also with values of other flags. */
function commandLinesFor(command: Command): fc.Arbitrary<string[]> {
  const flags = command.options.map(({ long }) => long!);
  const word = fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...WORDS) }, fc.string());
  const given = fc
    .tuple(fc.constantFrom(...flags), word)
    .map(([flag, value]) => (takesValue(command, flag) ? [flag, value] : [flag]));
  const part = fc.oneof(
    { weight: 20, arbitrary: given },
    word.map((value) => [value]),
  );
  return fc.array(part, { maxLength: 5 }).map((parts) => parts.flat());
}

/** Groups of flags that exclude each other. */
const EXCLUSIVE = [
  ['--target', '--per-day', '--rates', '--clients'],
  ['--workload', '--mix', '--workflow'],
  ['--manifests', '--chart'],
];

test.each(COMMANDS)('any command line of %s is a plan, or refused in words', (name, command, needed, parse) => {
  process.env.N8N_API_KEY = 'key';
  let options: object | undefined;
  command
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} })
    .action((given: object) => void (options = given));
  fc.assert(
    fc.property(commandLinesFor(command), (line) => {
      const plan = readOrRefused(name, () => {
        command.parse([...needed, ...line], { from: 'user' });
        choosePlace(options!);
        return parse(options);
      });
      if (!plan) return;
      expectRecordable(plan);
      const given = new Set(line.filter((_, i) => line[i - 1] === undefined || !takesValue(command, line[i - 1]!)));
      for (const flags of EXCLUSIVE) expect(flags.filter((flag) => given.has(flag)).slice(1)).toEqual([]);
      const { guard, rates } = plan;
      if (guard && 'rate' in rates) expect(rates.rate).toBeLessThanOrEqual(guard.maxRate);
      if (guard && rates.kind === 'rates') expect(Math.max(...rates.rates)).toBeLessThanOrEqual(guard.maxRate);
    }),
    BUDGET,
  );
});

const takesValue = (command: Command, flag: string): boolean =>
  command.options.some(({ long, required }) => long === flag && required);

const example = (path: string): unknown => JSON.parse(readFileSync(join(repositoryFolder, path), 'utf8'));

test.each(['webhook-ack', 'sub-workflow', 'code', 'respond-node', 'webhook-expression'])(
  'any change of the workflow %s becomes a load or is refused with a message, as are its checks and fixes',
  (name) => {
    fc.assert(
      fc.property(mutationsOf(example(`workflows/${name}.json`)), (text) => {
        writeFileSync(file, text);
        const plan = readOrRefused('workflow', () =>
          planFromOptions({ ...STEP, ...credentials, workflow: file, allowSideEffects: true }),
        );
        if (plan) expectRecordable(plan);
        readOrRefused('workflow, refused for what it reaches', () =>
          planFromOptions({ ...STEP, ...credentials, workflow: file }),
        );
        readOrRefused('check', () => checkFile(file));
        readOrRefused('check --fix', () => fixFile(file));
      }),
      { ...BUDGET, interruptAfterTimeLimit: BUDGET.seconds * 200 },
    );
  },
);
const CREDENTIAL = { id: '2000000000000001', name: 'n8n-tuned load target', type: 'httpHeaderAuth', data: {} };
const credentials = { credentials: join(folder, 'credentials.json') };
writeFileSync(credentials.credentials, JSON.stringify([CREDENTIAL]), { mode: 0o600 });
const STEP = { warmup: '3s', drain: '30s', timeout: '60s' };
