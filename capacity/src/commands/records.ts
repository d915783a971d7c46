import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../core/errors.js';
import { declareMarker } from '../record/markers.js';
import type { Feature, RecordReader } from './feature.js';

/** Finds the reader of the record in a folder; that of a single run if it holds no other. */
export type FindReader = (folder: string) => Promise<RecordReader>;

/** Knows the records that features write. */
export function findReaderAmong(features: readonly Feature[]): FindReader {
  const kinds = features.flatMap(({ command, readRecord }) =>
    readRecord ? [{ marker: declareMarker(command.name), readRecord }] : [],
  );
  return async (folder) => {
    const kind = kinds.find(({ marker }) => existsSync(join(folder, marker)));
    return kind ? kind.readRecord() : (await import('./read-run.js')).readRunRecord;
  };
}

/** A reader that says what its record supports. Throws UsageError if it supports no values. */
export function requireRecommend(reader: RecordReader, folder: string): NonNullable<RecordReader['recommend']> {
  if (reader.recommend) return reader.recommend;
  throw new UsageError(`${folder}: is no record that supports values; give one of validate, soak, sweep or confirm.`);
}
