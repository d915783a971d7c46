import type { Kind, RatePlan } from '../../model/plan.js';
import type { JudgeProfile } from '../profile.js';
import { burst } from './burst.js';
import { closed } from './closed.js';
import { confirm } from './confirm.js';
import { payloadLimit } from './payload-limit.js';
import { rates } from './rates.js';
import { replay } from './replay.js';
import { search } from './search.js';
import { soak } from './soak.js';
import { target } from './target.js';

/** How runs of each kind are judged. */
export const JUDGE_PROFILES: { [K in Kind]: JudgeProfile<K> } = {
  rates,
  search,
  target,
  closed,
  soak,
  replay,
  confirm,
  burst,
  'payload-limit': payloadLimit,
};

/** The profile of a plan's kind; the table pairs them. */
export const judgeProfileOf = (rates: RatePlan) => JUDGE_PROFILES[rates.kind] as JudgeProfile<Kind>;
