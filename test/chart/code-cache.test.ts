import { env, queue, render, type Component, type Values } from './render.js';

const loads = (values: Values, component: Component = 'main') =>
  env(render(values), component).NODE_OPTIONS?.includes('--require=/opt/n8n-tuned/code-cache.js') ?? false;

describe('the chart loads code-cache.js before n8n', () => {
  it.each(['main', 'worker', 'webhook'] as const)('in each component: %s', (component) =>
    expect(loads(queue(), component)).toBe(true),
  );

  it.each<[string, Values, boolean]>([
    ['with the isolates of n8n 1.x', { image: { tag: '1.123.81' } }, true],
    ['with a cache and the table of characters', { expressionEngine: { lazyCharacterTable: false } }, true],
    ['not where the values want none', { expressionEngine: { fullCodeCache: false } }, false],
    ['not where the values want no cache at all', { expressionEngine: { compileCache: false } }, false],
    ['not without isolates', { expressionEngine: { type: 'legacy', acceptLessSafe: true } }, false],
    ['not with n8n before it had isolates', { image: { tag: '2.30.0' } }, false],
    ['not with NODE_OPTIONS of the user', { heap: { enabled: false } }, false],
  ])('%s', (_, values, expected) => expect(loads(values)).toBe(expected));
});
