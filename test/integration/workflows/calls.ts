/** A call of a load target's webhook, its expected answer, and a value that its node must refuse. */
export interface Call {
  name: string;
  /** The query as the k6 scripts would send it. */
  query: Record<string, number>;
  /** Part of the answer, or of each entry if the answer is a list. */
  answer: object | object[];
  /** A query that must end with HTTP 500, without any work. */
  refused?: Record<string, string>;
}

const entry = (index: number) => ({ index, seed: 1, orders: expect.any(Array) });

export const calls: Call[] = [
  { name: 'webhook-ack', query: {}, answer: { operation: 'identify' } },
  {
    name: 'webhook-expression',
    query: { order: 250 },
    answer: { operation: 'expression', title: 'Order 250', priority: 'normal' },
  },
  { name: 'respond-node', query: {}, answer: { operation: 'respond' } },
  {
    name: 'webhook-wait',
    query: { seconds: 0.3 },
    answer: { operation: 'wait', ms: 300 },
    refused: { seconds: '61' },
  },
  { name: 'webhook-ack-wait', query: { seconds: 0.3 }, answer: { message: 'Workflow was started' } },
  {
    name: 'memory-hog',
    query: { mb: 32, ms: 100 },
    answer: { operation: 'holdMemory', mb: 32, ms: 100, where: 'heap' },
    refused: { mb: '1025' },
  },
  {
    name: 'cpu-burn',
    query: { n: 1000 },
    answer: { operation: 'burnCpu', n: 1000, result: 499_500 },
    refused: { n: 'many' },
  },
  { name: 'payload', query: { items: 3, kb: 20 }, answer: [0, 1, 2].map(entry), refused: { kb: '65537' } },
  {
    name: 'transform',
    query: { kb: 50 },
    answer: { operation: 'transform', mode: 'generate', bytes: 51_200 },
    refused: { mode: 'translate' },
  },
  {
    name: 'http-fan-out',
    query: { n: 3 },
    answer: { operation: 'httpFanOut', requests: 3, statuses: { 200: 3 } },
    refused: { n: '101' },
  },
  {
    name: 'event-loop-block',
    query: { ms: 50 },
    answer: { operation: 'blockEventLoop', ms: 50 },
    refused: { ms: '-1' },
  },
  { name: 'code', query: {}, answer: { operation: 'code', records: 1000 } },
  {
    name: 'code-each-item',
    query: { items: 3 },
    answer: [0, 1, 2].map((index) => ({ operation: 'code-each-item', index })),
    refused: { items: '10001' },
  },
  { name: 'sub-workflow', query: {}, answer: { operation: 'sub-workflow' } },
];
