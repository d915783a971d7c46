import { jest } from '@jest/globals';
import { terminalProgress } from '../../../capacity/src/core/progress.js';

afterEach(() => jest.restoreAllMocks());

test('quiet progress prints nothing but warnings', async () => {
  const printed: string[] = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean(printed.push(String(text))));
  const progress = terminalProgress(true);
  progress.line('half done');
  await progress.during('working', () => Promise.resolve());
  progress.warn('namespace n8n-1 was not removed');
  expect(printed).toEqual(['namespace n8n-1 was not removed\n']);
});
