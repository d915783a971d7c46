import { EventLog } from '../model/deployment.js';

/** The state that every deployment has: its events, what died since the last step, and a teardown that runs once. */
export class Lifecycle {
  readonly events = new EventLog();
  private seen = 0;
  private ending: Promise<void> | undefined;

  constructor(private readonly end: () => Promise<void>) {}

  /**
   * Makes the deployment ready again.
   * @param becomeReady called with whether something died since the last call
   * @returns whether something died since the last call
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
