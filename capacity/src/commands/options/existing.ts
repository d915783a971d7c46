import type { Command } from 'commander';

const collect = (value: string, previous: string[] = []) => [...previous, value];

/** Adds the flags of `--provisioner existing`. */
export const withExisting = (command: Command): Command =>
  command
    .optionsGroup('An existing n8n (--provisioner existing; its API key in the environment, in N8N_API_KEY):')
    .option('--url <url>', 'its address, as https://n8n.example.org')
    .option('--max-rate <rate>', 'no step is above it; the run ends with the first step that does not hold')
    .option('--metrics-url <url>', '/metrics of a process that starts executions; may be repeated', collect)
    .option('--redis-url <url>', "Bull's Redis, as redis://host:6379; with a password in N8N_REDIS_URL")
    .option(
      '--postgres-url <url>',
      'its PostgreSQL, as postgresql://user@host:5432/n8n; with a password in N8N_POSTGRES_URL',
    )
    .option('--allow-http', 'plain http to another machine is meant');
