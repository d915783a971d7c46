import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeType } from 'n8n-workflow';
import { BullQueue } from '../../nodes/BullQueue/BullQueue.node';
import { LoadTarget } from '../../nodes/LoadTarget/LoadTarget.node';

/** README.md of the npm package, which n8n links to when it installs the package. */
const readme = readFileSync(join(__dirname, '../../nodes/README.md'), 'utf8');

const operationsOf = ({ description }: INodeType): string[] => {
  const { options = [] } = description.properties.find(({ name }) => name === 'operation')!;
  return options.map(({ name }) => name);
};

test.each([new LoadTarget(), new BullQueue()])('names each operation, and no other', (node: INodeType) => {
  const section = readme.split(`**${node.description.displayName}**\n`)[1]!.split(/^(?:\*\*|## )/m)[0]!;
  const rows = [...section.matchAll(/^\| ([^|]+?) +\|/gm)].map(([, name]) => name!).slice(1);
  expect(rows.filter((row) => !row.startsWith('-')).sort()).toEqual(operationsOf(node).sort());
});
