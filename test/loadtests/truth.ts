type Answer = Record<string, unknown> | object[];

/** The answer of a load target that did its work, with its members in the order of the node. */
export function truth(url: string): Answer {
  const { pathname, searchParams } = new URL(url, 'http://stub');
  const query = (name: string) => Number(searchParams.get(name));
  const identity = {
    host: 'n8n-tuned-main-6b5c9d7f4-x2x7k',
    pid: 4711,
    component: 'main',
    n8nVersion: '2.0.0',
    nodeVersion: '24.0.0',
    heapUsedBytes: 123456789,
    heapLimitBytes: 1234567890,
    rssBytes: 345678912,
    eventLoopLagMs: 0.123,
  };
  const answers: Record<string, () => Answer> = {
    'webhook-ack': () => ({ operation: 'identify', tookMs: 0.1, identity }),
    'webhook-expression': () => {
      const order = query('order');
      const [title, priority] = [`Order ${order}`, order > 1000 ? 'high' : 'normal'];
      return { operation: 'expression', order, title, total: order * 3, priority, due: '2026-02-02' };
    },
    'respond-node': () => ({ operation: 'respond' }),
    'webhook-wait': () => {
      const ms = query('seconds') * 1000;
      return { operation: 'wait', ms, tookMs: ms + 0.4, identity };
    },
    'webhook-ack-wait': () => ({ message: 'Workflow was started' }),
    'memory-hog': () => {
      const ms = query('ms');
      return { operation: 'holdMemory', mb: query('mb'), ms, where: 'heap', tookMs: ms + 0.4, identity };
    },
    'cpu-burn': () => {
      const n = query('n');
      return { operation: 'burnCpu', n, result: (n * (n - 1)) / 2, tookMs: 3, identity };
    },
    payload: () => {
      const padding = '.'.repeat(query('kb') * 1024 - JSON.stringify({ index: 0, padding: '' }).length);
      return Array.from({ length: query('items') }, (_, index) => ({ index, padding }));
    },
    transform: () => {
      const [kilobytes, sha256] = [query('kb'), 'c1'.repeat(32)];
      const document = { mode: 'generate', kilobytes, seed: 1, bytes: kilobytes * 1024, sha256 };
      return { operation: 'transform', ...document, tookMs: 3, identity };
    },
    'http-fan-out': () => {
      const requests = query('n');
      const answers = { statuses: { 200: requests }, failed: 0, fastestMs: 1.2, medianMs: 2.3, slowestMs: 3.4 };
      return {
        operation: 'httpFanOut',
        url: 'http://127.0.0.1:5678/healthz',
        requests,
        ...answers,
        tookMs: 4,
        identity,
      };
    },
    'event-loop-block': () => {
      const ms = query('ms');
      return { operation: 'blockEventLoop', ms, blockedMs: ms + 0.2, tookMs: ms + 0.4, identity };
    },
    'code-each-item': () =>
      Array.from({ length: query('items') }, (_, index) => {
        let checksum = 0;
        for (let i = 0; i < 1000; i++) checksum = (checksum * 31 + index + i) % 1000003;
        return { operation: 'code-each-item', index, checksum };
      }),
    'sub-workflow': () => ({ operation: 'sub-workflow' }),
    code: () => ({ operation: 'code', records: 1000, characters: 31802, checksum: 200020 }),
  };
  return answers[pathname.replace('/webhook/', '')]?.() ?? { code: 404 };
}
