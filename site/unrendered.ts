import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Pages of a built site without a heading. VitePress could not render them, but only prints the error. */
export const findUnrenderedPages = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html') && file !== '404.html')
    .filter((file) => !readFileSync(join(folder, file), 'utf8').includes('<h1'))
    .sort();
