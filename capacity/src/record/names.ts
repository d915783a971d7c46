/** Files of a record, in its folder. */
export const FILES = {
  run: 'run.json',
  steps: 'steps.ndjson',
  samples: 'samples.ndjson',
  events: 'events.ndjson',
  rows: 'rows.ndjson',
  trials: 'trials.ndjson',
  outcomes: 'outcomes.ndjson',
  verdict: 'verdict.json',
  report: 'report.html',
  cell: 'cell.json',
} as const;
