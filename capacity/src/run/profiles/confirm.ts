import { LONGEST_EXTENSION, TARGET_SECONDS } from '../../plan/rates.js';
import type { DriveProfile } from '../profile.js';
import { prove } from '../prove.js';

/** The given rates in order, each until its steps decide. */
export const driveConfirm: DriveProfile<'confirm'> = {
  async drive(driver, { rates }) {
    const { stepSeconds } = driver.context.plan;
    const time = { least: stepSeconds, step: Math.max(stepSeconds, TARGET_SECONDS), most: LONGEST_EXTENSION };
    for (const rate of rates) await prove(driver, rate, [], time);
  },
};
