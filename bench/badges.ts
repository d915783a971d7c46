/**
 * `npm run bench:badges`: renders the badges of the README (docs/badges/NAME.svg) from the records of the repository.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { badges } from './badges/badges.js';
import { root } from './page.js';

const folder = join(root, 'docs/badges');
mkdirSync(folder, { recursive: true });
for (const [name, svg] of Object.entries(badges(root))) writeFileSync(join(folder, `${name}.svg`), svg);
