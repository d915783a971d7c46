import ora from 'ora';

/** What long work is given: where to say how it goes on, and when to stop. Everything goes to stderr: stdout holds the result alone. */
export interface Progress {
  /** Aborted when the user ends the run; long work must stop then. */
  signal: AbortSignal;
  /** Shows `label` for as long as `work` takes, then how long it took; passes the result or the error on. */
  during<T>(label: string, work: () => Promise<T>): Promise<T>;
  /** Replaces the moving line of the running `during`; on a pipe nothing is printed. */
  update(text: string): void;
  /** Prints a line that stays. */
  line(text: string): void;
}

/** Progress on stderr: a spinner on a terminal, plain lines on a pipe, nothing at all when `quiet`. */
export function terminalProgress(quiet = false, signal = new AbortController().signal): Progress {
  const terminal = process.stderr.isTTY === true;
  let spinner: ReturnType<typeof ora> | undefined;
  const print = (text: string) => {
    if (quiet) return;
    if (spinner?.isSpinning) spinner.clear();
    process.stderr.write(`${text}\n`);
  };
  return {
    signal,
    async during(label, work) {
      const start = Date.now();
      const seconds = () => `${((Date.now() - start) / 1000).toFixed(0)} s`;
      if (quiet) return work();
      if (terminal) spinner = ora({ text: label, stream: process.stderr, discardStdin: false }).start();
      else print(`… ${label}`);
      try {
        const result = await work();
        if (terminal) spinner?.succeed(`${label} (${seconds()})`);
        return result;
      } catch (error) {
        if (terminal) spinner?.fail(`${label} (${seconds()})`);
        throw error;
      } finally {
        spinner = undefined;
      }
    },
    update(text) {
      if (spinner) spinner.text = text;
    },
    line: print,
  };
}
