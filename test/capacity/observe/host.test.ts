import { coresOf, hostLook, usedCores } from '../../../capacity/src/observe/host.js';
import { mainThreadSeconds, readProcesses } from '../../../capacity/src/observe/proc.js';

const STAT = `cpu  999 0 0 0 0 0 0 0 0 0
cpu0 1000 200 300 4000 100 50 60 70 10 0
cpu1 100 0 100 800 0 0 0 0 0 0
cpu10 7 7 7 7 7 7 7 7 7 7
intr 5
`;

test('the cores that this process may use, in hundredths of a second; idle, waiting and interrupts are not work', () => {
  expect(usedCores(STAT, coresOf('0-1'))).toEqual({ cores: 2, totalSeconds: 67.8, busySeconds: 17.7 });
  expect(usedCores(STAT, coresOf('1'))).toEqual({ cores: 1, totalSeconds: 10, busySeconds: 2 });
  expect(usedCores(STAT, coresOf('2-3'))).toBeUndefined();
});

test.each([
  ['0-1', [0, 1]],
  ['0,3-5,8', [0, 3, 4, 5, 8]],
  ['', []],
])('%s', (list, cores) => expect([...coresOf(list)]).toEqual(cores));

test('the work of this process counts as its own, and in its main thread', async () => {
  const before = hostLook(await readProcesses())!;
  const thread = mainThreadSeconds(process.pid)!;
  for (const end = Date.now() + 400; Date.now() < end;);
  const after = hostLook(await readProcesses())!;
  expect(after.ownSeconds - before.ownSeconds).toBeGreaterThan(0.02);
  expect(after.busySeconds - before.busySeconds).toBeGreaterThan(0.02);
  expect(after.totalSeconds).toBeGreaterThan(before.totalSeconds);
  expect(mainThreadSeconds(process.pid)! - thread).toBeGreaterThan(0.02);
  expect(mainThreadSeconds(2 ** 22 + 1)).toBeUndefined();
});
