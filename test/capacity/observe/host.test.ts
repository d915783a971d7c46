import { parseCores, readHostLook, sumCoreTimes } from '../../../capacity/src/observe/host.js';
import { readMainThreadSeconds, readProcesses } from '../../../capacity/src/observe/proc.js';

const STAT = `cpu  999 0 0 0 0 0 0 0 0 0
cpu0 1000 200 300 4000 100 50 60 70 10 0
cpu1 100 0 100 800 0 0 0 0 0 0
cpu10 7 7 7 7 7 7 7 7 7 7
intr 5
`;

test('the cores that this process may use, in hundredths of a second; idle, waiting and interrupts are not work', () => {
  expect(sumCoreTimes(STAT, parseCores('0-1'))).toEqual({ cores: 2, totalSeconds: 67.8, busySeconds: 17.7 });
  expect(sumCoreTimes(STAT, parseCores('1'))).toEqual({ cores: 1, totalSeconds: 10, busySeconds: 2 });
  expect(sumCoreTimes(STAT, parseCores('2-3'))).toBeUndefined();
});

test.each([
  ['0-1', [0, 1]],
  ['0,3-5,8', [0, 3, 4, 5, 8]],
  ['', []],
])('%s', (list, cores) => expect([...parseCores(list)]).toEqual(cores));

test('the work of this process counts as its own, and in its main thread', async () => {
  const before = readHostLook(await readProcesses())!;
  const thread = readMainThreadSeconds(process.pid)!;
  for (const end = Date.now() + 400; Date.now() < end;);
  const after = readHostLook(await readProcesses())!;
  expect(after.ownSeconds - before.ownSeconds).toBeGreaterThan(0.02);
  expect(after.busySeconds - before.busySeconds).toBeGreaterThan(0.02);
  expect(after.totalSeconds).toBeGreaterThan(before.totalSeconds);
  expect(readMainThreadSeconds(process.pid)! - thread).toBeGreaterThan(0.02);
  expect(readMainThreadSeconds(2 ** 22 + 1)).toBeUndefined();
});
