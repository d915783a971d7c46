import { findBusiestHour, countByMinute, buildRecording, type StartedExecution } from '../../load/busiest-hour.js';
import { MOST_RECORDED_SECONDS, type Recording } from '../../model/recording.js';
import type { PostgresAddress } from '../../model/deployment.js';
import { NOT_ARRIVALS, withStartedExecutions } from '../../observe/started.js';
import { N8nApi } from './api.js';
import { n8nVersionAt } from './version.js';

/**
 * The busiest hour of an n8n, from its PostgreSQL or its public API.
 * @param since milliseconds since the epoch
 * @returns a recording without workflows if nothing arrived
 */
export const readArrivals = (from: PostgresAddress | N8nApi, since: number): Promise<Recording> =>
  from instanceof N8nApi ? arrivalsByApi(from, since) : arrivalsInPostgres(from, since);

const arrivalsInPostgres = (address: PostgresAddress, since: number): Promise<Recording> =>
  withStartedExecutions(address, since, async ({ column, minutes, between }) => {
    const from = findBusiestHour(minutes);
    const started = await between(from, from + MOST_RECORDED_SECONDS * 1000);
    return buildRecording(started, from, `${column} in PostgreSQL`);
  });

/** The API gives executions newest first, and no filter by time: pages are read until they are older. */
async function arrivalsByApi(api: N8nApi, since: number): Promise<Recording> {
  const started: StartedExecution[] = [];
  for await (const page of api.startedExecutions()) {
    const times = page.map(({ workflowId, startedAt, mode }) => ({
      workflowId,
      mode,
      at: Date.parse(startedAt ?? ''),
    }));
    started.push(...times.filter(({ at, mode }) => at >= since && !NOT_ARRIVALS.includes(mode)));
    if (times.some(({ at }) => at < since)) break;
  }
  const version = await n8nVersionAt(api.url, []);
  const recording = buildRecording(started, findBusiestHour(countByMinute(started)), "startedAt in n8n's API");
  return { ...recording, ...(version && { n8n: version.version }) };
}
