import { createRequire } from 'node:module';

type Require = (module: string) => unknown;
const { executionStore, isAtLeast2 } = createRequire(import.meta.url)('./n8n-modules.js') as {
  executionStore: (require: Require, method: string) => unknown;
  isAtLeast2: (minor: number, require: Require) => boolean;
};

describe("n8n's modules, as the hooks find them", () => {
  class Repository {
    updateExistingExecution() {}
    findSingleExecution() {}
  }
  class PartOfPersistence {
    deleteInFlightExecution() {}
  }
  class Persistence extends PartOfPersistence {
    updateExistingExecution() {}
    findSingleExecution() {}
  }
  const withPersistence =
    (persistence?: object): Require =>
    (module) => {
      if (module === '@n8n/di') return { Container: { get: (one: { name: string }) => one.name } };
      if (module === '@n8n/db') return { ExecutionRepository: Repository };
      if (persistence) return { ExecutionPersistence: persistence };
      throw new Error(`no ${module}`);
    };

  it.each([
    ['1.x', undefined, 'updateExistingExecution', 'Repository'],
    ['1.x', undefined, 'deleteInFlightExecution', undefined],
    ['2.16 to 2.23', PartOfPersistence, 'updateExistingExecution', 'Repository'],
    ['2.16 to 2.23', PartOfPersistence, 'deleteInFlightExecution', 'PartOfPersistence'],
    ['2.27 and newer', Persistence, 'updateExistingExecution', 'Persistence'],
    ['2.27 and newer', Persistence, 'findSingleExecution', 'Persistence'],
  ])('n8n %s: what has the method', (_, persistence, method, found) =>
    expect(executionStore(withPersistence(persistence), method)).toBe(found),
  );

  it.each([
    ['1.123.81', false],
    ['2.6.4', false],
    ['2.7.5', true],
    ['2.41.1', true],
    ['3.0.0', true],
  ])('version %s', (version, isNewer) => expect(isAtLeast2(7, () => ({ version }))).toBe(isNewer));
});
