import { EnvironmentFault } from '../../../../capacity/src/core/errors.js';
import { requireSameClock } from '../../../../capacity/src/provision/kubernetes/cluster.js';

test.each([
  [1000, 900, 1100, false],
  [3200, 900, 1100, true],
  [-1200, 900, 1100, true],
  [2900, 900, 1100, false],
])('a clock that says %i between %i and %i is refused: %s', (there, before, after, refused) => {
  const check = () => requireSameClock(there, before, after);
  if (refused) expect(check).toThrow(EnvironmentFault);
  else expect(check).not.toThrow();
});
