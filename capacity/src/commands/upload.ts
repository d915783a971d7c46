import { Command } from 'commander';
import { s3Address, type S3Options } from '../record/s3/address.js';
import { uploadFolder } from '../record/s3/place.js';
import { withS3 } from './options/output.js';

/** `n8n-capacity upload FOLDER s3://…`. */
export const uploadCommand = (): Command =>
  withS3(new Command('upload'))
    .argument('<folder>', 'what a command has recorded, as results/<time>')
    .argument('<place>', 'where it goes, as s3://bucket/prefix')
    .description('Copies a recorded run or sweep into S3; completes what could not be copied while it was recorded.')
    .action(async (folder: string, place: string, options: S3Options) => {
      const address = s3Address(place, options);
      await uploadFolder(folder, address);
      process.stdout.write(`${folder} is in ${address.url}\n`);
    });
