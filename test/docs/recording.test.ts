import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { repositoryFolder } from '../../capacity/src/core/paths.js';

const recording = JSON.parse(readFileSync(join(repositoryFolder, 'docs/recording.json'), 'utf8')) as {
  command: string;
  exitCode: number;
  lines: { at: number; text: string }[];
};
const picture = readFileSync(join(repositoryFolder, 'docs/recording.svg'), 'utf8');

test('the picture is rendered from the recording', async () => {
  const { exitCode, stderr } = await execa('node', ['scripts/recording.mjs', 'render', '--check'], {
    cwd: repositoryFolder,
    reject: false,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
});

test('the recorded run ended with a verdict', () => {
  expect(recording).toMatchObject({ command: 'make validate', exitCode: 0 });
  expect(recording.lines.filter(({ text }) => /^CAPACITY /.test(text))).toHaveLength(2);
});

test('every word of the recording is in the picture', () => {
  const shown = picture
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
  const words = recording.lines.flatMap(({ text }) => text.split(/\s+/)).map((word) => word.replaceAll('&gt;', '>'));
  expect(words.filter((word) => !shown.replaceAll('&gt;', '>').includes(word))).toEqual([]);
});
