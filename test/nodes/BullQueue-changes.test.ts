import type { IDataObject, INode } from 'n8n-workflow';
import { credential, run, type FakeExecution } from './queue/execution';

/**
 * Tests which credentials allow pause and resume. The host does not exist, so a run that connects fails with another error.
 */
const failureOf = (fields: IDataObject, more: Partial<FakeExecution>, operation: string) =>
  run({ parameters: [{ operation }], credential: credential({ host: 'nowhere.invalid', ...fields }), ...more }).then(
    () => undefined,
    (error: { cause: { parameter?: string; code?: string } }) => error.cause,
  );

const OPERATIONS = ['pause', 'resume'];
const tool = (node: Partial<INode>): Partial<FakeExecution> => ({ node });

describe.each(OPERATIONS)('%s', (operation) => {
  test.each([
    ['a node that is connected as a tool', tool({ type: 'n8n-nodes-tuned.bullQueueTool' })],
    ['a tool behind a human who confirms', tool({ type: 'n8n-nodes-tuned.bullQueueHitlTool' })],
    ['a node that the engine runs for an agent', tool({ rewireOutputLogTo: 'ai_tool' })],
    ['an execution that n8n calls that of a tool', { isToolExecution: true }],
  ])('is refused to %s, before Redis is asked', async (_, more) => {
    expect(await failureOf({ allowChanges: true }, more, operation)).toMatchObject({ parameter: 'Operation' });
  });

  test.each([{}, { allowChanges: false }, { allowChanges: 'true' }, { allowChanges: 1 }])(
    'is refused with a credential of %j, before Redis is asked',
    async (fields) => {
      expect(await failureOf(fields, { isToolExecution: false }, operation)).toMatchObject({
        parameter: 'Allow Changes of the credential',
      });
    },
  );

  test('is allowed by the credential', async () => {
    expect(await failureOf({ allowChanges: true }, { isToolExecution: false }, operation)).toMatchObject({
      code: 'not-found',
    });
  });
});

test('a tool may read', async () => {
  expect(await failureOf({}, { isToolExecution: true }, 'workers')).toMatchObject({ code: 'not-found' });
});
