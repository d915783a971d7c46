import { RunnerLog } from '../../../../capacity/src/provision/kubernetes/runner-container-watch.js';

const time = (second: number) => `2026-11-20T10:00:${String(second).padStart(2, '0')}.5Z`;
/** What lines of consecutive seconds tell. */
function told(log: RunnerLog, ...lines: string[]): (string | undefined)[] {
  return lines.map((text, second) => log.read(`${time(second)} ${text}`)?.detail);
}
const registered = (name: string, id: string) => `Registered runner "${name}" (${id}) `;

test('a runner that registers again has taken the place of one that ended', () => {
  const [first, again] = [registered('JS Task Runner', 'a'), registered('JS Task Runner', 'b')];
  expect(told(new RunnerLog(), first, 'Worker started execution 7', again)).toEqual([
    undefined,
    undefined,
    'JS Task Runner ended and was replaced',
  ]);
});

test.each([
  [
    '[runner:js] FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
    'its heap was full',
  ],
  ['Task runner failed heartbeat check, restarting...', 'it did not answer n8n'],
  ['Task runner timed out during task, restarting...', 'a task took too long'],
])('why, where n8n has said it: %s', (said, cause) => {
  const js = (id: string) => registered('JS Task Runner', id);
  const [, , second, third] = told(new RunnerLog(), js('a'), said, js('b'), js('c'));
  expect(second).toBe(`JS Task Runner ended and was replaced: ${cause}`);
  expect(third).toBe('JS Task Runner ended and was replaced');
});

test('runners of two languages, and the launcher of a container of its own, are not each other', () => {
  const lines = ['launcher-javascript', 'JS Task Runner', 'Python Task Runner'].map((name) => registered(name, 'x'));
  expect(told(new RunnerLog(), ...lines)).toEqual([undefined, undefined, undefined]);
});

test('a log that is read again from its beginning tells nothing twice', () => {
  const log = new RunnerLog();
  const lines = [registered('JS Task Runner', 'a'), registered('JS Task Runner', 'b')];
  told(log, ...lines);
  expect(told(log, ...lines, registered('JS Task Runner', 'c'))).toEqual([
    undefined,
    undefined,
    'JS Task Runner ended and was replaced',
  ]);
});

test('as n8n logs it in JSON, and when', () => {
  const log = new RunnerLog();
  const json = (id: string) => `{"level":"info","message":"Registered runner \\"JS Task Runner\\" (${id}) "}`;
  log.read(`${time(0)} ${json('a')}`);
  expect(log.read(`${time(1)} ${json('b')}`)).toEqual({ at: Date.parse(time(1)), detail: expect.any(String) });
  expect(log.read('a line without its time')).toBeUndefined();
});
