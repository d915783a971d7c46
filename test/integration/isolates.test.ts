import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { chain, code, node, webhook } from '../../bench/check/examples.js';
import { checkFile } from '../../capacity/src/workflow/check/check-file.js';
import { expectPass, LENIENT, runValidate, SLOW } from './cli.js';

jest.setTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'isolates-'));
const isTrue = {
  options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
  conditions: [{ id: '1', leftValue: 'a', rightValue: 'a', operator: { type: 'string', operation: 'equals' } }],
  combinator: 'and',
};
const text = { id: '1', name: 'a', value: 'x', type: 'string' };
const plain = chain(
  webhook(2.1),
  node('Edit Fields', 'set', 3.4, { assignments: { assignments: [text] }, options: {} }),
  node('If', 'if', 2.2, { conditions: isTrue, options: {} }),
  node('Filter', 'filter', 2.2, { conditions: isTrue, options: {} }),
  node('Switch', 'switch', 3.2, { rules: { values: [{ conditions: isTrue }] }, options: {} }),
  node('Limit', 'limit', 1),
  node('Aggregate', 'aggregate', 1, { aggregate: 'aggregateAllItemData', options: {} }),
  node('Split Out', 'splitOut', 1, { fieldToSplitOut: 'data', options: {} }),
  node('Wait', 'wait', 1.1, { amount: 0.1 }),
);
const item = code('return [{ json: { a: 1 } }];');
const special = { id: '1', name: 'a', value: "={{ 'Straße'.replaceSpecialChars() }}", type: 'string' };
const html = { operation: 'generateHtmlTemplate', html: '<h1>{{ $json.a }}</h1>' };

test.each([
  ['nodes without expressions', plain, 0],
  ['a Merge node, whatever its parameters are', chain(webhook(2.1), item, node('Merge', 'merge', 3.2)), 1],
  [
    'a function that reads the table of characters, whose loading the chart defers',
    chain(
      webhook(2.1),
      node('Edit Fields', 'set', 3.4, { assignments: { assignments: [special] }, options: {} }),
      code("if ($input.first().json.a !== 'Strasse') throw new Error('wrong'); return $input.all();"),
    ),
    1,
  ],
  ['HTML with {{ }}', chain(webhook(2.1), item, node('HTML', 'html', 1.2, html)), 1],
])('check says what n8n takes: %s', async (name, workflow, isolates) => {
  const file = join(folder, `${name.replaceAll(/\W/g, '-')}.json`);
  writeFileSync(file, JSON.stringify({ name, ...workflow, settings: { executionTimeout: 60 } }));
  const rules = checkFile(file).findings.map(({ rule }) => rule);
  expect(rules.includes('expressions')).toBe(isolates > 0);
  const run = await runValidate('--workflow', file, ...SLOW, ...LENIENT);
  expectPass(run);
  const [step] = run.steps;
  const taken = run.samples.flatMap((s) => s.instances.flatMap(({ inside }) => inside?.isolates ?? []));
  const accepted = step!.executions!.accepted;
  expect(accepted).toBeGreaterThan(20);
  // The last sample may be older than the last executions.
  expect(taken.at(-1)! / accepted).toBeGreaterThanOrEqual(0.8 * isolates);
  expect(taken.at(-1)!).toBeLessThanOrEqual(isolates * (accepted + 2));
});
