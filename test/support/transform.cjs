// Compiles ES modules with swc. Jest runs each file in a vm context, where access to a global such as Math is slow: it took five
// sixths of the simulations' time. So each file gets local constants for the built-ins that it uses. Date and timers are left out,
// because tests replace them.
const swc = require('@swc/jest');

const BUILT_IN = ['Array', 'Infinity', 'JSON', 'Map', 'Math', 'NaN', 'Number', 'Object', 'Set', 'String'];

/** Adds constants for the built-ins that the file uses and does not declare. They go on the first line, so line numbers stay. */
function withLocals(source) {
  const used = BUILT_IN.filter(
    (name) =>
      new RegExp(`\\b${name}\\b`).test(source) &&
      !new RegExp(`\\b(const|let|var|class|function|enum)\\s+${name}\\b|\\bimport\\s[^;]*\\b${name}\\b[^;]*from`).test(
        source,
      ),
  );
  return used.length === 0 ? source : `const { ${used.join(', ')} } = globalThis; ${source}`;
}

exports.createTransformer = (options) => {
  const compiler = swc.createTransformer(options);
  return {
    ...compiler,
    process: (source, ...rest) => compiler.process(withLocals(source), ...rest),
    processAsync: (source, ...rest) => compiler.processAsync(withLocals(source), ...rest),
    getCacheKey: (source, ...rest) => compiler.getCacheKey(withLocals(source), ...rest),
  };
};
