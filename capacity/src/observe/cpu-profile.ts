import type { CpuProfile, Frame, HotFunction, ProfileRecord } from '../model/profile.js';

/** Microseconds between two samples: V8's own default. */
export const SAMPLING_MICROS = 1000;

/** Share of the graph's width below which a frame is left out, as it could not be seen. */
const MIN_SHARE = 0.005;
/** Depth below which calls are left out, so that a graph fits a page. */
const MAX_DEPTH = 40;
/** Functions listed at most. */
const MAX_FUNCTIONS = 20;

interface Call {
  name: string;
  package: string;
  /** Microseconds in the function itself, and including the functions that it called. */
  self: number;
  total: number;
  calls: Call[];
}

/** The flame graph and the functions that took most time. Idle time of the thread is left out of both. */
export function buildFlameGraph(profile: CpuProfile): Pick<ProfileRecord, 'seconds' | 'idle' | 'frames' | 'functions'> {
  const root = buildCallTree(profile);
  const all = root.total;
  const working = root.calls.filter((call) => call.name !== IDLE);
  const busy = working.reduce((sum, call) => sum + call.total, 0);
  return {
    seconds: all / 1e6,
    idle: all === 0 ? 0 : (all - busy) / all,
    frames: busy === 0 ? [] : layOutFrames(working, busy, 0, 0),
    functions: busy === 0 ? [] : findHotFunctions(working, busy),
  };
}

/** V8's name for idle time of the thread. */
const IDLE = '(idle)';

/** The tree of calls from V8's list of nodes; each sample lasts until the next. */
function buildCallTree({ nodes, samples, timeDeltas }: CpuProfile): Call {
  const self = new Map<number, number>();
  for (const [i, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + Math.max(0, timeDeltas[i + 1] ?? 0));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const build = (id: number): Call => {
    const { callFrame, children = [] } = byId.get(id)!;
    const calls = mergeCalls(children.map(build));
    const own = self.get(id) ?? 0;
    return {
      ...describeCall(callFrame),
      self: own,
      total: own + calls.reduce((sum, call) => sum + call.total, 0),
      calls,
    };
  };
  return nodes[0] ? build(nodes[0].id) : { name: '', package: '', self: 0, total: 0, calls: [] };
}

/** Merges the calls of one function: V8 lists a function once for each place that it was optimized for. */
function mergeCalls(calls: Call[]): Call[] {
  const byName = new Map<string, Call>();
  for (const call of calls) {
    const key = `${call.package} ${call.name}`;
    const known = byName.get(key);
    if (!known) byName.set(key, { ...call });
    else {
      known.self += call.self;
      known.total += call.total;
      known.calls = mergeCalls([...known.calls, ...call.calls]);
    }
  }
  return [...byName.values()];
}

function describeCall({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): {
  name: string;
  package: string;
} {
  const name = functionName || '(anonymous)';
  return { name, package: packageName(url) };
}

/** The package of a file: the last folder below node_modules. */
export function packageName(url: string): string {
  if (url === '' || url.startsWith('native ')) return 'V8';
  if (url.startsWith('node:')) return 'node';
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? 'other';
}

/** The frames of calls, side by side, with the frames of their callees below them. The widest comes first, so that a graph reads from the left. */
function layOutFrames(calls: Call[], all: number, from: number, depth: number): Frame[] {
  let at = from;
  return [...calls]
    .sort((a, b) => b.total - a.total)
    .flatMap((call): Frame[] => {
      const start = at;
      at = start + call.total / all;
      if (call.total < MIN_SHARE * all || depth === MAX_DEPTH) return [];
      const { name, package: of } = call;
      const frame = { depth, from: roundShare(start), to: roundShare(Math.min(1, at)), name, package: of };
      return [frame, ...layOutFrames(call.calls, all, start, depth + 1)];
    });
}

const roundShare = (value: number): number => Number(value.toFixed(5));

function findHotFunctions(calls: Call[], all: number): HotFunction[] {
  const byName = new Map<string, { name: string; package: string; self: number; total: number }>();
  const visit = (call: Call, above: ReadonlySet<string>): void => {
    const key = `${call.package} ${call.name}`;
    const known = byName.get(key) ?? { name: call.name, package: call.package, self: 0, total: 0 };
    byName.set(key, known);
    known.self += call.self;
    // A function that calls itself is counted once.
    if (!above.has(key)) known.total += call.total;
    const below = new Set(above).add(key);
    for (const next of call.calls) visit(next, below);
  };
  for (const call of calls) visit(call, new Set());
  return [...byName.values()]
    .sort((a, b) => b.self - a.self)
    .slice(0, MAX_FUNCTIONS)
    .map((f) => ({ ...f, self: roundShare(f.self / all), total: roundShare(f.total / all) }));
}

/** Removes the folders of this machine from a profile: paths begin at node_modules. */
export const removeFolders = (profile: CpuProfile): CpuProfile => ({
  ...profile,
  nodes: profile.nodes.map((node) => {
    const { url } = node.callFrame;
    const at = url.indexOf('/node_modules/');
    const short = at >= 0 ? url.slice(at + 1) : url.startsWith('file:') ? (url.split('/').at(-1) ?? '') : url;
    return { ...node, callFrame: { ...node.callFrame, url: short } };
  }),
});
