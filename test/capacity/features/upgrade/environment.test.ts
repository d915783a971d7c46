import { environmentChanges } from '../../../../capacity/src/features/upgrade/environment.js';
import { render } from '../../../chart/render.js';

const tagged = (tag: string) => render({ image: { tag } });

test('variables that only one version gets are listed once for a component, and no secret', () => {
  const changes = environmentChanges(tagged('1.123.81'), tagged('2.41.1'));
  expect(changes).toContainEqual(
    expect.objectContaining({ component: 'main', name: 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE', to: 'true' }),
  );
  expect(changes.some(({ name }) => /KEY|PASSWORD|TOKEN/.test(name))).toBe(false);
});

test('the same version renders the same', () => {
  expect(environmentChanges(tagged('2.41.1'), tagged('2.41.1'))).toEqual([]);
});
