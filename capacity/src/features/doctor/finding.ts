/** The result of one of the doctor's checks. */
export interface Finding {
  /** Name of the check, such as `k6`; the same in every run. */
  name: string;
  /**
   * `ok`: present. `installable`: validate installs it. `limited`: a run works, with restrictions. `missing`: a run fails.
   */
  state: 'ok' | 'installable' | 'limited' | 'missing';
  /** What was found, in one line. */
  detail: string;
  /** What to do; undefined if there is nothing to do. */
  fix?: string;
}

/** Whether `validate` can run: nothing is missing. */
export const isReady = (findings: Finding[]): boolean => findings.every(({ state }) => state !== 'missing');
