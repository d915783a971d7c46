const { default: Runner } = require('jest-runner');

/** Jest's default runner, limited to one test file at a time. */
module.exports = class OneAfterAnother extends Runner {
  isSerial = true;
};
