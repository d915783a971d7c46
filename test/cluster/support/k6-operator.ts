import { kubectl } from './namespace.js';

const TEST_RUNS = ['get', 'crd', 'testruns.k6.io', '--ignore-not-found', '-o', 'name'];

/** Whether the cluster has the k6-operator. */
export const hasK6Operator = async (): Promise<boolean> => (await kubectl(TEST_RUNS)) !== '';

/** A test that needs the k6-operator: without it the test is skipped, and its title says why. */
export const testWithK6Operator = async (title: string, run: () => Promise<void>): Promise<void> =>
  (await hasK6Operator()) ? test(title, run) : test.skip(`${title} (skipped: the cluster has no k6-operator)`, run);

/** A test of a cluster without the k6-operator: with it the test is skipped, and its title says why. */
export const testWithoutK6Operator = async (title: string, run: () => Promise<void>): Promise<void> =>
  (await hasK6Operator()) ? test.skip(`${title} (skipped: the cluster has the k6-operator)`, run) : test(title, run);
