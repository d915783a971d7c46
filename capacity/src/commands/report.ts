import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { concludeConfirm } from '../features/confirm/write.js';
import { exitCodes } from '../core/exit-codes.js';
import type { S3Options } from '../record/s3/address.js';
import { localCopy } from '../record/s3/place.js';
import { conclude } from '../run/conclude.js';
import { withS3 } from './options/output.js';
import { concludeTune } from '../features/tune/conclude.js';
import { concludeUpgrade } from '../features/upgrade/conclude.js';
import { concludeFaults } from '../features/faults/conclude.js';
import { printConfirm } from '../features/confirm/command.js';
import { printFaulted } from '../features/faults/command.js';
import { printRun } from './run-plan.js';
import { printTuned } from '../features/tune/command.js';
import { printUpgraded } from '../features/upgrade/command.js';
import { FILES } from '../record/names.js';

/** `n8n-capacity report PLACE`. */
export const reportCommand = (): Command =>
  withS3(
    new Command('report')
      .argument(
        '<place>',
        'record of validate, soak, confirm, tune, upgrade, faults, burst or payload-limit: results/<time> or s3://bucket/prefix',
      )
      .description('Judge a recorded run again and rewrite its report, without running anything.')
      .option('--json', 'print the result as JSON'),
  )
    .addHelpText('after', HELP)
    .action(async (place: string, options: S3Options & { json?: boolean }) => {
      const folder = await localCopy(place, options);
      if (existsSync(join(folder, FILES.confirm))) printConfirm(await concludeConfirm(folder), options.json);
      else if (existsSync(join(folder, FILES.tune))) printTuned(await concludeTune(folder), options.json);
      else if (existsSync(join(folder, FILES.upgrade))) printUpgraded(await concludeUpgrade(folder), options.json);
      else if (existsSync(join(folder, FILES.faults))) printFaulted(await concludeFaults(folder), options.json);
      else printRun(await conclude(folder), options.json);
    });

const HELP = `
A record in S3 is copied to a temporary folder, and the report is written there.

Examples:
  n8n-capacity report results/2026-11-20T10-15-00
  n8n-capacity report s3://measurements/friday --json

${exitCodes({ 0: 'PASS or CAPACITY; of tune and upgrade: nothing is worse', 1: 'FAIL; of upgrade: worse', 2: 'INCONCLUSIVE; of tune and upgrade: not decided' })}`;
