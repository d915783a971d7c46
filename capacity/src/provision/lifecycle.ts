import { EventLog } from '../model/deployment.js';

/** What every deployment needs: its events, whether something died since the last step, and an end that happens once. */
export class Lifecycle {
  readonly events = new EventLog();
  private seen = 0;
  private ending: Promise<void> | undefined;

  constructor(private readonly end: () => Promise<void>) {}

  /**
   * Makes the deployment ready again.
   * @param becomeReady is told whether something died since the last call
   * @returns the same
   */
  async ready(becomeReady: (died: boolean) => Promise<void>): Promise<boolean> {
    const died = this.events.since(this.seen).some(({ kind }) => kind === 'died');
    await becomeReady(died);
    this.seen = this.events.mark;
    return died;
  }

  /** Ends the deployment; may be called twice. */
  readonly teardown = (): Promise<void> => (this.ending ??= this.end());
}
