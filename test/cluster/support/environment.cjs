// Node's environment, which prints what namespace.ts knows of the cluster when a test has failed.
const { TestEnvironment } = require('jest-environment-node');

module.exports = class extends TestEnvironment {
  async handleTestEvent({ name, test }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    const state = await this.global.describeFailure?.();
    if (state) console.error(`${test ? test.name : 'a hook'} failed; the cluster then:\n${state}`);
  }
};
