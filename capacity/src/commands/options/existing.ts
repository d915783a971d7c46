import type { Command } from 'commander';
import { collect } from './output.js';

/** Adds the options of `--provisioner existing`. */
export const withExisting = (command: Command): Command =>
  withUrl(command.optionsGroup('Existing n8n (with --provisioner existing; the API key is read from N8N_API_KEY):'))
    .option('--max-rate <rate>', 'highest rate of any step; the run also stops after the first step that fails')
    .option('--metrics-url <url>', '/metrics of a process that starts executions; may be repeated', collect)
    .option(
      '--redis-url <url>',
      'Redis of the queue, such as redis://host:6379; set N8N_REDIS_URL instead if it has a password',
    )
    .option(
      '--postgres-url <url>',
      'PostgreSQL of n8n, such as postgresql://user@host:5432/n8n; set N8N_POSTGRES_URL instead if it has a password',
    );

/** Adds the options that name an n8n. */
export const withUrl = (command: Command): Command =>
  command
    .option('--url <url>', 'address of n8n, such as https://n8n.example.org')
    .option('--allow-http', 'allow plain HTTP to a remote host');
