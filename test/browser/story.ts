import type { Page } from 'playwright-core';
import { messageOf } from '../../capacity/src/core/errors.js';
import { takePicture } from './pictures.js';

/**
 * Like `test`, for steps that build on each other in one page. A failing step takes a picture of the page. The steps after it fail at
 * once instead of waiting for a time-out.
 */
export function createStory(page: () => Page): (step: string, run: () => Promise<void>) => void {
  let broken: string | undefined;
  return (step, run) =>
    test(step, async () => {
      if (broken !== undefined) throw new Error(`not run, because this step failed: ${broken}`);
      try {
        await run();
      } catch (error) {
        broken = step;
        const picture = await takePicture(page(), 'failed').catch((reason: unknown) => `no picture: ${String(reason)}`);
        throw new Error(`${messageOf(error)}\nPicture of the page: ${picture}`, { cause: error });
      }
    });
}
