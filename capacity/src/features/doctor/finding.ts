/** What the doctor found of one thing. */
export interface Finding {
  /** Such as `k6`; the same in every run. */
  name: string;
  /**
   * `ok`: it is here. `installable`: validate installs it itself. `limited`: a run works, but says less. `missing`: a run
   * fails.
   */
  state: 'ok' | 'installable' | 'limited' | 'missing';
  /** What is here, in one line. */
  detail: string;
  /** What to do; undefined if there is nothing to do. */
  fix?: string;
}

/** Whether `validate` can run: nothing is missing. */
export const isReady = (findings: Finding[]): boolean => findings.every(({ state }) => state !== 'missing');
