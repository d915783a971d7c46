/**
 * Reads the results that Jest has written.
 *   again FILE            the test files that failed and run beside load, in one line; ends with 1 when something else failed
 *   count CODE FILE...    the closing line of .ci/run; a test file's later result replaces its earlier one
 */
const { readFileSync } = require('node:fs');

/** Files that drive load or run beside such: their outcome may depend on how busy a shared machine is. */
const BESIDE_LOAD = /\/test\/(cluster|integration|integration\/core)\/[^/]+$/;

const [command, ...args] = process.argv.slice(2);
const filesOf = (path) => JSON.parse(readFileSync(path, 'utf8')).testResults;

if (command === 'again') again(args[0]);
else count(Number(args[0]), args.slice(1));

function again(path) {
  let failed = [];
  try {
    failed = filesOf(path).flatMap(({ name, status }) => (status === 'failed' ? name : []));
  } catch {
    // Ended before its tests.
  }
  const beside = failed.filter((name) => BESIDE_LOAD.test(name));
  console.log(beside.join(' '));
  process.exitCode = failed.length > 0 && beside.length === failed.length ? 0 : 1;
}

function count(code, paths) {
  const last = new Map(paths.flatMap(filesOf).map((file) => [file.name, file]));
  let passed = 0;
  let wrong = 0;
  for (const { status, assertionResults } of last.values()) {
    const failures = assertionResults.filter((test) => test.status === 'failed').length;
    passed += assertionResults.filter((test) => test.status === 'passed').length;
    // A file that could not be run has no tests.
    wrong += status === 'failed' ? Math.max(failures, 1) : 0;
  }
  console.log(`tests: ${passed} passed, ${wrong || (code === 0 ? 0 : 1)} failed`);
}
