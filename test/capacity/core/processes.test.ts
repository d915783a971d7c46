import { jest } from '@jest/globals';
import { isAlive, killGroup, signalGroup, signalProcess } from '../../../capacity/src/core/processes.js';

afterEach(() => jest.restoreAllMocks());

test.each([0, 1, -1, -5, NaN, 1.5])('id %s gets no signal, as it does not identify a single process', (pid) => {
  const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
  signalProcess(pid, 'SIGKILL');
  signalGroup(pid, 'SIGKILL');
  killGroup(pid);
  expect(kill.mock.calls).toEqual([]);
});

test('a process group is signalled by the id of its first process', () => {
  const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
  signalProcess(7, 'SIGTERM');
  killGroup(8);
  expect(kill.mock.calls).toEqual([
    [7, 'SIGTERM'],
    [-8, 'SIGKILL'],
  ]);
});

test.each([
  [process.pid, true],
  [0, false],
  [NaN, false],
])('whether %s is alive', (pid, alive) => expect(isAlive(pid)).toBe(alive));
