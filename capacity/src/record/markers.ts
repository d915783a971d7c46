import { FILES } from './names.js';

/**
 * The file at the top of a folder, or of a prefix in S3, that marks it as a record. Each kind of record declares its own, so
 * that records can be found and copied without knowing the commands that write them.
 */
const markers = new Set<string>([FILES.run]);

/** Declares a kind of record by the command that writes it, and returns its marker: `<command>.json`. */
export function declareMarker(command: string): string {
  const marker = `${command}.json`;
  markers.add(marker);
  return marker;
}

/** The markers of all kinds of records that are declared. */
export const knownMarkers = (): string[] => [...markers];

/** Whether a file at the top of a folder or prefix marks it as a record. */
export const isMarker = (name: string): boolean => markers.has(name);
