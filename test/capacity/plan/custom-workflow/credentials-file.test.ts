import { chmodSync } from 'node:fs';
import { exposure } from '../../../../capacity/src/plan/custom-workflow/credentials-file.js';
import { readCustom } from '../../../../capacity/src/plan/custom-workflow/load.js';
import { expectRefused } from '../refused.js';
import { file, hook, planOf, workflow } from './workflows.js';

describe('credentials', () => {
  const uses = workflow([hook({}, { credentials: { httpHeaderAuth: { id: '7', name: 'Key' } } })]);
  const key = { id: '7', name: 'Key', type: 'httpHeaderAuth', data: { name: 'x-api-key', value: 'hunter2' } };

  test('only those that are used are imported, and none is in the plan', () => {
    const plan = planOf(uses, { credentials: file([key, { ...key, id: '8' }]) });
    expect(readCustom(plan.loads[0]!.custom!).credentials).toEqual([key]);
    expect(JSON.stringify(plan)).not.toContain('hunter2');
  });

  test.each([
    ['encrypted', [{ ...key, data: 'U2FsdGVkX1hunter2' }], ['0.data', '--decrypted']],
    ['not a list', key, ['--decrypted']],
    ['not JSON', 'hunter2', ['JSON']],
  ])('refused when %s, without showing a value', (_, content, parts) => {
    const read = () => planOf(uses, { credentials: file(content) });
    expectRefused(read, ['--credentials ', ...parts]);
    expect(read).not.toThrow(/hunter2/);
  });

  test('every missing one is named', () => {
    const two = workflow([
      hook(
        {},
        { credentials: { httpHeaderAuth: { id: '7', name: 'Key' }, httpBasicAuth: { id: '8', name: 'Login' } } },
      ),
    ]);
    expectRefused(() => planOf(two, { credentials: file([]) }), ['2 problems', '"Key"', '"Login"']);
  });

  test('a file that others can read is pointed out', () => {
    const open = file([]);
    chmodSync(open, 0o644);
    expect(exposure(open)).toContain('644');
    chmodSync(open, 0o600);
    expect(exposure(open)).toBeUndefined();
  });
});
