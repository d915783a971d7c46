/** The files of a record, in its folder. A run, a sweep and so on are found by the file of that name. */
export const FILES = {
  run: 'run.json',
  steps: 'steps.ndjson',
  samples: 'samples.ndjson',
  events: 'events.ndjson',
  rows: 'rows.ndjson',
  trials: 'trials.ndjson',
  outcomes: 'outcomes.ndjson',
  survival: 'survival.json',
  verdict: 'verdict.json',
  report: 'report.html',
  sweep: 'sweep.json',
  confirm: 'confirm.json',
  tune: 'tune.json',
  upgrade: 'upgrade.json',
  faults: 'faults.json',
  experiment: 'experiment.json',
} as const;
