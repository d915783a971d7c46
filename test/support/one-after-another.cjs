const { default: Runner } = require('jest-runner');

/** Jest's own runner, but for one test file at a time. */
module.exports = class OneAfterAnother extends Runner {
  isSerial = true;
};
