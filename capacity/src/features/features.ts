import type { Feature } from '../commands/feature.js';
import { check } from './check/feature.js';
import { compare } from './compare/feature.js';
import { confirm } from './confirm/feature.js';
import { doctor } from './doctor/feature.js';
import { faults } from './faults/feature.js';
import { forecast } from './forecast/feature.js';
import { pm2 } from './pm2/feature.js';
import { sweep } from './sweep/feature.js';
import { tune } from './tune/feature.js';
import { upgrade } from './upgrade/feature.js';

/** All features, in the order of the help. */
export const FEATURES: Feature[] = [sweep, tune, upgrade, faults, check, confirm, forecast, compare, pm2, doctor];
