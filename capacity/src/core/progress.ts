import ora from 'ora';

/** Reports the progress of long work on stderr, and carries the signal to stop. Only results go to stdout. */
export interface Progress {
  /** Aborted by Ctrl-C; long work must stop then. */
  signal: AbortSignal;
  /** Shows `label` during `work`, then its duration. Returns the result, or throws the error, of `work`. */
  during<T>(label: string, work: () => Promise<T>): Promise<T>;
  /** Replaces the text of the spinner; prints nothing if stderr is not a terminal. */
  update(text: string): void;
  /** Prints a permanent line. */
  line(text: string): void;
  /** Prints a warning that the user must act on, for example about leftovers. Prints even if `quiet`. */
  warn(text: string): void;
}

/** Progress on stderr: a spinner on a terminal, otherwise plain lines; nothing if `quiet`. */
export function terminalProgress(quiet = false, signal = new AbortController().signal): Progress {
  const terminal = process.stderr.isTTY === true;
  let spinner: ReturnType<typeof ora> | undefined;
  const print = (text: string) => {
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
    line: (text) => {
      if (!quiet) print(text);
    },
    warn: print,
  };
}
