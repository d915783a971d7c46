import { iptablesRules } from '../../../experiments/src/arrangement/iptables.js';

test('of N processes the first takes every Nth connection, the next every (N-1)th of the rest, the last what is left', () => {
  const to = (every: string, port: number) =>
    `-d 127.0.0.1 -p tcp --dport 80${every} -j REDIRECT --to-ports ${port}`.split(' ');
  expect(iptablesRules(80, [1, 2, 3])).toEqual([
    to(' -m statistic --mode nth --every 3 --packet 0', 1),
    to(' -m statistic --mode nth --every 2 --packet 0', 2),
    to('', 3),
  ]);
});
