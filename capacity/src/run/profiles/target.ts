import { LONGEST_EXTENSION, TARGET_SECONDS } from '../../plan/rates.js';
import type { DriveProfile } from '../profile.js';
import { prove } from '../prove.js';

/** The target times the headroom, until its steps decide. */
export const driveTarget: DriveProfile<'target'> = {
  async drive(driver, { rate, headroom }) {
    const { stepSeconds } = driver.context.plan;
    const time = { least: stepSeconds, step: Math.max(stepSeconds, TARGET_SECONDS), most: LONGEST_EXTENSION };
    await prove(driver, rate * headroom, [], time);
  },
};
