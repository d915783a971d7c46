/** One change on the way from n8n's own method of measuring to that of this project. */
export interface GapStep {
  /** Name of the step in the record. */
  name: string;
  /** The change, for the page. */
  what: string;
  /** The reason for its effect, for the page. */
  why: string;
  /** Flags of `n8n-capacity validate` that the steps after it keep. */
  flags: string[];
  /** Flags of this step only: the workload and its load. */
  load: string[];
}

/** The load of n8n's own measurement: as many answers as possible, each within 100 s. */
const MANY_CLIENTS = [
  ...['--clients', '100', '--timeout', '100s', '--slo', 'p95=100s,errors=1%'],
  ...['--warmup', '10s', '--step-duration', '60s'],
];
const legacy = ['--set', 'expressionEngine.type=legacy', '--set', 'expressionEngine.acceptLessSafe=true'];
const vmFlags = (lazyAcquire: boolean, compileCache: boolean) => [
  ...['--set', 'expressionEngine.type=vm', '--set', 'expressionEngine.acceptLessSafe=false'],
  ...['--set', `expressionEngine.lazyAcquire=${lazyAcquire}`, '--set', `expressionEngine.compileCache=${compileCache}`],
];
const isolateFlags = (areCheaper: boolean) => [
  ...['--set', `expressionEngine.lazyCharacterTable=${areCheaper}`],
  ...['--set', `expressionEngine.fullCodeCache=${areCheaper}`],
];

/** n8n's setup: one process, PostgreSQL, a machine with 2 CPUs and 4 GiB. In regular mode the chart runs only main. */
const HARDWARE = [
  ...['--set', 'database.type=postgresql'],
  ...['--set', 'main.resources.limits.cpu=2', '--set', 'main.resources.limits.memory=4Gi'],
];

/** Each step keeps the flags of those before it. */
export const STEPS: GapStep[] = [
  {
    name: 'as measured by n8n',
    what: "n8n's own setup on this machine: expressions run without isolates, 100 clients wait up to 100 s",
    why: 'another machine, shared with PostgreSQL and k6; a newer n8n, which writes more for each execution',
    flags: legacy,
    load: ['--workload', 'webhook-ack', ...MANY_CLIENTS],
  },
  {
    name: 'defaults',
    what: "expressions in an isolate, with n8n's default settings",
    why: 'n8n 2.x isolates expressions; by default each execution acquires an isolate, even without expressions',
    flags: [...vmFlags(false, false), ...isolateFlags(false)],
    load: ['--set', 'expressionEngine.poolSize=1', '--workload', 'webhook-ack', ...MANY_CLIENTS],
  },
  {
    name: 'chart',
    what: "the chart's settings of the expression engine",
    why: 'an isolate is acquired only when an expression needs it',
    flags: vmFlags(true, true),
    load: ['--workload', 'webhook-ack', ...MANY_CLIENTS],
  },
  {
    name: 'expressions',
    what: 'a workflow with five expressions',
    why: 'each execution acquires an isolate; most workflows have expressions',
    flags: [],
    load: ['--workload', 'webhook-expression', ...MANY_CLIENTS],
  },
  {
    name: 'cheaper isolates',
    what: "the chart's isolates: without a table of special characters, and with cached compiled code",
    why: 'n8n writes 65,000 characters in each isolate, which few expressions read, and compiles most functions again',
    flags: isolateFlags(true),
    load: ['--workload', 'webhook-expression', ...MANY_CLIENTS],
  },
  {
    name: 'sustained',
    what: 'random arrivals, and answers within the default objectives',
    why: 'an answer after 100 s counts for n8n; here 95 % must come within 800 ms, and nothing may pile up',
    flags: [],
    load: ['--workload', 'webhook-expression', '--no-overload'],
  },
  {
    name: 'legacy',
    what: 'the same without an isolate (`expressionEngine.type=legacy`)',
    why: 'shows the cost of the isolates; without them, an expression that escapes its sandbox has full access to n8n',
    flags: legacy,
    load: ['--workload', 'webhook-expression', '--no-overload'],
  },
];

/** The flags of a step, including those of the steps before it. */
export const stepFlags = (step: GapStep): string[] => [
  ...HARDWARE,
  ...STEPS.slice(0, STEPS.indexOf(step) + 1).flatMap(({ flags }) => flags),
  ...step.load,
];
