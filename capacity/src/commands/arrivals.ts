import type { Command } from 'commander';
import { UsageError } from '../core/errors.js';
import { exitCodesHelp } from '../core/exit-codes.js';
import { writeWhole } from '../record/files.js';
import { readArrivals } from '../provision/existing/arrivals.js';
import { createApi, postgresAt, type TargetOptions } from '../provision/existing/target.js';
import type { Recording } from '../model/recording.js';
import { busiestRate, scaledTimes } from '../plan/recording.js';
import { duration } from '../plan/quantities.js';
import { formatNumber, formatRate } from '../core/formats.js';
import { withUrl } from './options/existing.js';

/** Executions older than this are mostly pruned: n8n keeps two weeks by default. */
const SINCE = '14d';
const SINCE_SECONDS = { least: 3600, most: 365 * 86_400 };

interface ArrivalsOptions extends TargetOptions {
  since: string;
  output: string;
}

/** `n8n-capacity arrivals`. */
export const defineArrivals = (command: Command): Command =>
  withUrl(
    command.option(
      '--postgres-url <url>',
      'PostgreSQL of n8n, such as postgresql://user@host:5432/n8n; set N8N_POSTGRES_URL instead if it has a password',
    ),
  )
    .option('--since <time>', 'how far back to look, 1h to 365d', SINCE)
    .option('-o, --output <file>', 'file to write', 'arrivals.json')
    .addHelpText('after', HELP)
    .action(async (options: ArrivalsOptions) => {
      const sinceMs = Date.now() - duration(options.since, '--since', SINCE_SECONDS) * 1000;
      const postgres = postgresAt(options);
      if (postgres !== undefined && options.url !== undefined)
        throw new UsageError('--postgres-url (or N8N_POSTGRES_URL) and --url exclude each other; give one.');
      if (postgres === undefined && options.url === undefined)
        throw new UsageError('--postgres-url or --url is missing; set it to the PostgreSQL or the address of an n8n.');
      const recording = await readArrivals(postgres ?? createApi(options), sinceMs);
      if (recording.workflows.length === 0)
        throw new UsageError(
          `no execution of a trigger or webhook was found in the last ${options.since}; n8n saves executions only where EXECUTIONS_DATA_SAVE_ON_SUCCESS is all.`,
        );
      await writeWhole(options.output, `${JSON.stringify(recording)}\n`);
      process.stdout.write(formatRecording(recording, options.output));
    });

function formatRecording(recording: Recording, file: string): string {
  const { workflows, from, seconds, source } = recording;
  const count = workflows.reduce((total, w) => total + w.count, 0);
  const busiest = busiestRate(scaledTimes(recording, 1, 0));
  const lines = workflows.slice(0, 10).map((w) => `  ${w.count} of workflow ${w.id}`);
  return [
    `${count} executions in the hour from ${from}, by ${source}: ${formatRate(count / seconds)} on average, ${formatRate(busiest)} in the busiest 10 s`,
    ...lines,
    ...(workflows.length > 10 ? [`  and ${formatNumber(workflows.length - 10)} more workflows`] : []),
    `wrote ${file}; replay it with: n8n-capacity validate --arrivals ${file} --times 1.5 --workload webhook-ack`,
    '',
  ].join('\n');
}

const HELP = `
The file holds times and ids of workflows: no names, no data, no secrets. Executions that people or other executions started are
left out (manual runs, sub-workflows, retries, error workflows). The hour begins on any minute. The API key is read from
N8N_API_KEY.

Examples:
  N8N_POSTGRES_URL=postgresql://n8n:…@db:5432/n8n n8n-capacity arrivals
  n8n-capacity arrivals --postgres-url postgresql://n8n@127.0.0.1:5432/n8n --since 30d -o monday.json
  N8N_API_KEY=… n8n-capacity arrivals --url https://n8n.example.org
  n8n-capacity validate --arrivals monday.json --times 1.5 -f queue.yaml

${exitCodesHelp({ 0: 'the file is written' })}`;
