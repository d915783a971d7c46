import { Command } from 'commander';
import { exitCodes } from '../core/exit-codes.js';
import { s3Address, type S3Options } from '../record/s3/address.js';
import { uploadFolder } from '../record/s3/place.js';
import { withS3 } from './options/output.js';

/** `n8n-capacity upload FOLDER s3://…`. */
export const uploadCommand = (): Command =>
  withS3(
    new Command('upload')
      .argument('<folder>', 'record of a run or a sweep, such as results/<time>')
      .argument('<place>', 'where to copy it, such as s3://bucket/prefix')
      .description('Copy a recorded run or sweep to S3, or complete a copy that was interrupted.'),
  )
    .addHelpText('after', HELP)
    .action(async (folder: string, place: string, options: S3Options) => {
      const address = s3Address(place, options);
      await uploadFolder(folder, address);
      process.stdout.write(`copied ${folder} to ${address.url}\n`);
    });

const HELP = `
Examples:
  n8n-capacity upload results/2026-11-20T10-15-00 s3://measurements/friday
  n8n-capacity upload results/right-size s3://measurements/right-size --s3-endpoint https://s3.example.org

${exitCodes({ 0: 'the copy is complete' })}`;
