import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import type { SentRequest } from '../model/requests.js';

interface Row {
  metric_name: string;
  timestamp: string;
  metric_value: string;
  extra_tags: string;
}

/**
 * The requests of a k6 output whose script accounts for each of them (loadtests/lib/accounted.js).
 * @throws Error when the file cannot be read, is truncated, or a row lacks its id, status or times
 */
export async function readAccountedRequests(file: string): Promise<SentRequest[]> {
  const requests: SentRequest[] = [];
  const rows = parse({ columns: true, relax_column_count: true });
  await pipeline(createReadStream(file), createGunzip(), rows, async (parsed: AsyncIterable<Row>) => {
    for await (const row of parsed) if (row.metric_name === 'accounted') requests.push(parseRequest(row));
  });
  return requests;
}

function parseRequest({ timestamp, metric_value, extra_tags }: Row): SentRequest {
  const tags = new URLSearchParams(extra_tags);
  const [id, status, execution, starting] = ['id', 'status', 'execution', 'starting'].map(
    (name) => tags.get(name) ?? '',
  );
  // K6_CSV_TIME_FORMAT is unix_micro.
  const endedAt = Number(timestamp) / 1000;
  const sentAt = endedAt - Number(metric_value);
  if (!id || !/^\d+$/.test(status!) || !Number.isFinite(sentAt))
    throw new Error(`a row of accounted lacks its id, status or time: ${extra_tags.slice(0, 80)}`);
  return {
    id,
    sentAt,
    endedAt,
    status: Number(status),
    ...(execution && { execution }),
    ...(starting && { starting: true as const }),
  };
}
