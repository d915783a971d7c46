import { EXECUTE_WORKFLOW } from '../../workflow/node-types.js';
import { activeNodes, type Workflow, type WorkflowNode } from '../../workflow/file.js';

/** A node that acts outside n8n: under load it does so thousands of times. */
export interface SideEffect {
  node: string;
  type: string;
  why: string;
}

/**
 * Nodes that only work on their items. All others count as reaching outside: mail, payments, databases, files, other
 * packages, and nodes that n8n adds later.
 */
const INSIDE = new Set(
  [
    ...['webhook', 'respondToWebhook', 'executeWorkflowTrigger', 'errorTrigger', 'manualTrigger', 'stickyNote'],
    ...['if', 'switch', 'filter', 'merge', 'compareDatasets', 'splitInBatches', 'wait', 'noOp', 'stopAndError'],
    ...['set', 'renameKeys', 'itemLists', 'splitOut', 'aggregate', 'summarize', 'sort', 'limit', 'removeDuplicates'],
    ...['dateTime', 'crypto', 'totp', 'jwt', 'html', 'htmlExtract', 'xml', 'markdown', 'iCal'],
    ...['moveBinaryData', 'convertToFile', 'extractFromFile', 'spreadsheetFile', 'readPDF', 'compression', 'editImage'],
    ...['executionData', 'simulate', 'debugHelper', 'dataTable'],
  ].map((name) => `n8n-nodes-base.${name}`),
).add('n8n-nodes-tuned.loadTarget');

/** Nodes whose parameters decide. */
const DEPENDING = new Map<string, (node: WorkflowNode) => string | undefined>([
  ['n8n-nodes-base.code', codeReaches],
  ['n8n-nodes-base.function', codeReaches],
  ['n8n-nodes-base.functionItem', codeReaches],
  ['n8n-nodes-base.httpRequest', requestReaches],
  // `subWorkflowsOf` finds the workflows that it starts.
  [EXECUTE_WORKFLOW, () => undefined],
]);

/** The nodes of a workflow that reach outside n8n, without disabled ones. */
export function sideEffects(workflow: Workflow): SideEffect[] {
  return activeNodes(workflow).flatMap((node) => {
    if (INSIDE.has(node.type)) return [];
    const reasonOf = DEPENDING.get(node.type);
    const why = reasonOf ? reasonOf(node) : 'may reach outside n8n';
    return why === undefined ? [] : [{ node: node.name, type: node.type, why }];
  });
}

/**
 * What code in the sandbox, which has no modules, reaches outside with: n8n's helpers, what a runtime offers, and ways to get
 * at either by another name. In doubt it is refused: a name in a comment counts.
 */
const REACHING = [
  ...[/helpers/, /\brequire\b/, /\bimport\b/, /__import__/, /\bfetch\b(?!\s+\w)/],
  ...[/WebSocket/, /EventSource/, /XMLHttpRequest/, /sendBeacon/],
  ...[/\beval\b/, /\bFunction\s*\(/, /[.[]\s*['"`]?constructor/, /globalThis/, /\bReflect\b/],
  // A computed member of n8n's own context may be any of these.
  /\bthis\s*(\?\.)?\s*\[\s*(?!['"]\w+['"]\s*\])/,
];

/** The code with escaped letters as they are, and literals put together that were taken apart. */
const plain = (code: string): string =>
  code
    .replace(/\\(?:u\{([0-9a-f]+)\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/gi, (all, ...codes: (string | undefined)[]) => {
      const point = Number.parseInt(codes.slice(0, 3).find(Boolean) ?? '', 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : all;
    })
    .replace(/(['"`])\s*\+\s*['"`]/g, '');

function codeReaches({ parameters }: WorkflowNode): string | undefined {
  const code = ['jsCode', 'pythonCode', 'functionCode']
    .map((name) => parameters[name])
    .filter((text) => typeof text === 'string')
    .join('\n');
  return REACHING.some((pattern) => pattern.test(plain(code)))
    ? 'its code may make requests or load modules'
    : undefined;
}

function requestReaches({ parameters: { url, options } }: WorkflowNode): string | undefined {
  const { proxy } = (options ?? {}) as { proxy?: unknown };
  const outside = [url, ...(proxy ? [proxy] : [])].some((text) => typeof text !== 'string' || !isLoopback(text));
  return outside ? 'its URL or proxy is not a literal loopback address' : undefined;
}

/** Whether a URL names this machine by address. False for host names and expressions, which may resolve to anything. */
export function isLoopback(text: string): boolean {
  if (text.startsWith('=') || !URL.canParse(text)) return false;
  const { hostname, protocol } = new URL(text);
  return /^https?:$/.test(protocol) && (/^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === '[::1]');
}
