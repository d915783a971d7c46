import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart, render, refusals } from '../render.js';
import { tests } from './cases.js';

const lodash = { codeNodes: { modules: ['lodash@4.17.21'] } };
const crypto = { codeNodes: { builtin: ['crypto'] } };

await tests('_code-nodes.tpl', [
  [
    'modules-on-the-wrong-side',
    'codeNodes.modules',
    { ...lodash, taskRunners: { mode: 'external' } },
    'taskRunners.config',
  ],
  ['modules-on-the-wrong-side', 'codeNodes.builtin', { ...crypto, taskRunners: { mode: 'external' } }],
  ['modules-unsupported', 'codeNodes.modules', { ...lodash, image: { tag: '1.110.1' } }, '1.123.0'],
  [
    'variable-twice',
    'extraEnv NODE_FUNCTION_ALLOW_EXTERNAL',
    { ...lodash, extraEnv: [{ name: 'NODE_FUNCTION_ALLOW_EXTERNAL', value: 'moment' }] },
    'codeNodes.modules',
  ],
  [
    'variable-twice',
    'extraEnv NODE_FUNCTION_ALLOW_BUILTIN',
    { ...crypto, extraEnv: [{ name: 'NODE_FUNCTION_ALLOW_BUILTIN', value: '*' }] },
    'codeNodes.builtin',
  ],
  ['builtin-with-prefix', 'codeNodes.builtin node:crypto', { codeNodes: { builtin: ['node:crypto'] } }, 'Write crypto'],
  ['builtin-unknown', 'codeNodes.builtin cripto', { codeNodes: { builtin: ['cripto'] } }, 'codeNodes.modules'],
]);

it('knows the modules of this Node, and those that only newer ones have', () => {
  const known: string[] = parse(readFileSync(join(chart, 'files/node-modules.yaml'), 'utf8'));
  const own = builtinModules.filter((name) => !name.startsWith('_')).map((name) => name.replace(/^node:/, ''));
  expect(known).toEqual(expect.arrayContaining(own));
  expect(known).toEqual([...known].sort());
});

it('a module needs its exact version', async () => {
  expect(await refusals({ codeNodes: { modules: ['lodash'] } })).toMatchObject([
    { code: 'package-without-version', value: 'codeNodes.modules lodash' },
  ]);
});

it('a variable for modules of an own image stays possible', () => {
  const extraEnv = [{ name: 'NODE_FUNCTION_ALLOW_EXTERNAL', value: 'moment' }];
  expect(() => render({ ...crypto, extraEnv })).not.toThrow();
});
