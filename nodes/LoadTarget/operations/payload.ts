import type { INodeExecutionData } from 'n8n-workflow';
import { ceilings } from '../ceilings/ceiling';
import { memory, withMegabytes } from '../ceilings/process';
import { bytesInParts, DOCUMENT_MEMORY, documentInParts, runInParts } from '../document';
import { Meter } from '../meter';
import { noticeField } from '../../shared/notice';
import { operation, type Run } from '../operation';
import { readKilobytes, readSeed } from '../parameters';
import { readChoice, readNumber } from '../../shared/parameters';

interface Payload {
  items: number;
  kilobytes: number;
  format: 'json' | 'binary';
  seed: number;
}

/**
 * Generate Payload: `items` output items of `kilobytes` each, to measure the cost of moving and saving data. The same seed,
 * index and size give the same bytes in every process, so the items hold no proof. Another index gives other bytes.
 *
 * A JSON item is a list of orders whose serialised form is ASCII and exactly `kilobytes` long. A binary item has bytes that
 * do not compress in its property `data`, stored where n8n stores binary data, and `{ index, seed, bytes }` as JSON.
 */
export const payload = operation<Payload>({
  properties: [
    noticeField(
      'payload',
      'n8n holds the items in memory and saves them: some times their size in every process that they pass, and once for ' +
        'each node in the database if executions are saved.',
    ),
    {
      displayName: 'Items',
      name: 'items',
      type: 'number',
      typeOptions: { minValue: 1 },
      displayOptions: { show: { operation: ['payload'] } },
      default: 1,
      description: 'How many items to output for each input item. An execution may output 10,000.',
    },
    {
      displayName: 'Kilobytes',
      name: 'kilobytes',
      type: 'number',
      typeOptions: { minValue: 1 },
      displayOptions: { show: { operation: ['payload'] } },
      default: 10,
      description: 'Size of each item, in kB of 1,024 bytes. An execution may output 64 MB.',
    },
    {
      displayName: 'Format',
      name: 'format',
      type: 'options',
      displayOptions: { show: { operation: ['payload'] } },
      options: [
        { name: 'Binary', value: 'binary', description: 'A file in the property data of the item' },
        { name: 'JSON', value: 'json', description: 'A list of orders' },
      ],
      default: 'json',
    },
    {
      displayName: 'Seed',
      name: 'seed',
      type: 'number',
      typeOptions: { minValue: 0 },
      displayOptions: { show: { operation: ['payload'] } },
      default: 1,
      description: 'Start of the pseudo-random content. The same seed gives the same items.',
    },
  ],

  read: (parameter) => ({
    items: readNumber('Items', parameter('items'), {
      min: 1,
      max: ceilings.payloadItems.value,
      integer: true,
      because: ceilings.payloadItems.text,
    }),
    kilobytes: readKilobytes(parameter, ceilings.payloadMegabytes.value, ceilings.payloadMegabytes.text),
    format: readChoice('Format', parameter('format'), ['json', 'binary']),
    seed: readSeed(parameter),
  }),

  costs: (parameters) => ({ items: parameters.items, payload: payloadMegabytes(parameters) }),

  execute: (parameters, run) =>
    withMegabytes(memory, payloadMegabytes(parameters) * DOCUMENT_MEMORY, async () => {
      const meter = new Meter(run.time, run.signal);
      const output: INodeExecutionData[] = [];
      for (let index = 0; index < parameters.items; index++) {
        const pause = () => meter.pause(`making item ${index + 1} of ${parameters.items}`);
        output.push(await makeItem(parameters, index, run, pause));
        run.reserved.items.use(1);
        run.reserved.payload.use(parameters.kilobytes / 1024);
        await pause();
      }
      return output;
    }),
});

const payloadMegabytes = ({ items, kilobytes }: Payload): number => (items * kilobytes) / 1024;

/** Makes one item. `pause` lets other work run, so that a large item does not block the process while it is made. */
async function makeItem(
  { kilobytes, format, seed }: Payload,
  index: number,
  { helpers }: Run,
  pause: () => Promise<void>,
): Promise<INodeExecutionData> {
  if (format === 'json') return { json: await runInParts(documentInParts(seed, index, kilobytes), pause) };
  const bytes = await runInParts(bytesInParts(seed, index, kilobytes), pause);
  const name = `payload-${seed}-${index}.bin`;
  const data = await helpers.prepareBinaryData(bytes, name, 'application/octet-stream');
  return { json: { index, seed, bytes: bytes.length }, binary: { data } };
}
