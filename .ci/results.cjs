/**
 * Reads the results that Jest has written.
 *   failed FILE           the test files that failed, in one line; ends with 1 when there are none to try again
 *   count CODE FILE...    the closing line of .ci/run; a test file's later result replaces its earlier one
 */
const { readFileSync } = require('node:fs');

const [command, ...args] = process.argv.slice(2);
const filesOf = (path) => JSON.parse(readFileSync(path, 'utf8')).testResults;

if (command === 'failed') failed(args[0]);
else count(Number(args[0]), args.slice(1));

function failed(path) {
  let files = [];
  try {
    files = filesOf(path).filter(({ status }) => status === 'failed');
  } catch {
    // Ended before its tests.
  }
  console.log(files.map(({ name }) => name).join(' '));
  process.exitCode = files.length > 0 ? 0 : 1;
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
