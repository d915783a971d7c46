import { UsageError } from '../../core/errors.js';
import { formatRate } from '../../core/formats.js';
import { GENERATOR_LIMIT_SHARE } from '../../judge/inconclusive.js';
import type { DriveProfile } from '../profile.js';

/** The recorded arrivals once, from beginning to end. */
export const driveReplay: DriveProfile<'replay'> = {
  async drive({ context: { generator }, take }, { rate, busiest }) {
    if (generator.limit !== undefined && busiest > GENERATOR_LIMIT_SHARE * generator.limit)
      throw new UsageError(
        `--arrivals: the busiest 10 s have ${formatRate(busiest)}, but k6 reaches ${formatRate(generator.limit)} on this machine and is trusted up to half of that; lower --times, or use a larger machine.`,
      );
    await take({ rate });
  },
};
