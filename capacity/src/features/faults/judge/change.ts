import type { Accounts, FaultName } from '../record.js';

/**
 * What to change after a fault; empty where every accepted request was done once. Read in n8n 2.41.1: dangling executions are
 * looked for every `executions.queueRecovery.interval` minutes, and a job whose worker died is never run again.
 */
export function changeFor(fault: FaultName, { outcomes, misreported, orphans }: Accounts): string {
  const advice = [
    outcomes.vanished > 0 && (VANISHED[fault] ?? 'Keep the payloads outside n8n until their executions have ended.'),
    (outcomes.stuck > 0 || orphans > 0) && STUCK,
    outcomes.crashed + outcomes.failed > 0 && (INTERRUPTED[fault] ?? RETRY),
    outcomes.twice > 0 && 'Make the workflow harmless to repeat: check an id of the request before its side effects.',
    misreported.length > 0 &&
      'Before a retry, check whether the work was done: n8n lists some finished executions as failed.',
  ];
  return advice.filter(Boolean).join(' ');
}

const STUCK =
  'Lower executions.recovery.intervalMinutes (N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL) from 180 minutes, so that n8n marks lost executions as crashed sooner, and alert on executions that stay new or running for too long.';
const RETRY = "Retry failed and crashed executions from n8n's list, where repeating them is harmless.";

const VANISHED: Partial<Record<FaultName, string>> = {
  'redis-data-loss': 'Give Redis a volume and its append-only file: jobs that only Redis held are gone.',
  'disk-full': 'Alert on free disk space before PostgreSQL runs out of it.',
};

const INTERRUPTED: Partial<Record<FaultName, string>> = {
  'rolling-restart': 'Raise the grace period above the longest execution.',
  'scale-in': 'Raise the grace period above the longest execution.',
  'node-drain': 'Raise the grace period above the longest execution.',
  'postgres-connections': "Lower n8n's pool size or raise max_connections, so that others cannot take n8n's share.",
  'disk-full': 'Alert on free disk space before PostgreSQL runs out of it.',
};
