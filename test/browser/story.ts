import type { Page } from 'playwright-core';
import { messageOf } from '../../capacity/src/core/errors.js';
import { takePicture } from './pictures.js';

/**
 * `test` for the steps of one story in one page. A step that fails leaves a picture of the page, and the steps after it
 * fail at once instead of waiting for what will not come.
 */
export function story(page: () => Page): (step: string, run: () => Promise<void>) => void {
  let broken: string | undefined;
  return (step, run) =>
    test(step, async () => {
      if (broken !== undefined) throw new Error(`not run, because this failed: ${broken}`);
      try {
        await run();
      } catch (error) {
        broken = step;
        const picture = await takePicture(page(), 'failed').catch((reason: unknown) => `no picture: ${String(reason)}`);
        throw new Error(`${messageOf(error)}\nThe page then: ${picture}`, { cause: error });
      }
    });
}
