import type { Kind, RatePlan } from '../../model/plan.js';
import type { DriveProfile } from '../profile.js';
import { driveBurst } from './burst.js';
import { driveClosed } from './closed.js';
import { driveConfirm } from './confirm.js';
import { drivePayloadLimit } from './payload-limit.js';
import { driveRates } from './rates.js';
import { driveReplay } from './replay.js';
import { driveSearch } from './search.js';
import { driveSoak } from './soak.js';
import { driveTarget } from './target.js';

/** How runs of each kind are driven. */
export const DRIVE_PROFILES: { [K in Kind]: DriveProfile<K> } = {
  rates: driveRates,
  search: driveSearch,
  target: driveTarget,
  closed: driveClosed,
  soak: driveSoak,
  replay: driveReplay,
  confirm: driveConfirm,
  burst: driveBurst,
  'payload-limit': drivePayloadLimit,
};

/** The profile of a plan's kind; the table pairs them. */
export const driveProfileOf = (rates: RatePlan) => DRIVE_PROFILES[rates.kind] as DriveProfile<Kind>;
