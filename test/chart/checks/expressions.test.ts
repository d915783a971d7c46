import { tests } from './cases.js';

await tests('_expressions.tpl', [
  [
    'legacy-engine-not-accepted',
    'expressionEngine.type=legacy',
    { expressionEngine: { type: 'legacy' } },
    'expressionEngine.acceptLessSafe=true',
  ],
  [
    'no-effect',
    'expressionEngine.poolSize=4',
    { expressionEngine: { type: 'legacy', acceptLessSafe: true, poolSize: 4 } },
  ],
]);
