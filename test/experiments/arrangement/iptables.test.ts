import { iptablesRules } from '../../../experiments/src/arrangement/iptables.js';

test('iptablesRules gives the first of N processes every Nth connection, the second every (N-1)th of the rest, the last all others', () => {
  const to = (every: string, port: number) =>
    `-d 127.0.0.1 -p tcp --dport 80${every} -j REDIRECT --to-ports ${port}`.split(' ');
  expect(iptablesRules(80, [1, 2, 3])).toEqual([
    to(' -m statistic --mode nth --every 3 --packet 0', 1),
    to(' -m statistic --mode nth --every 2 --packet 0', 2),
    to('', 3),
  ]);
});
