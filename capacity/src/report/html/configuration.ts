import { describeRates, searchOf } from '../../plan/kinds.js';
import { knownExposure, exposureText } from '../../chart/exposure-text.js';
import { valuesFlags } from '../../chart/values-flags.js';
import { toMebibytes, formatMib, formatSeconds, formatPercent } from '../../core/formats.js';
import { PERCENTILES, type ConfigOrigin, type LoadPlan, type Plan, type Slo } from '../../model/plan.js';
import type { DeploymentRecord, RunRecord } from '../../model/run.js';
import type { RecordedRun } from '../../record/recorder.js';
import { NONE, type Fact } from '../columns.js';
import { hooksText } from '../hooks.js';
import { html, type Html } from '../markup.js';
import { replacedText } from '../replaced.js';
import { table } from './table.js';

/** Deployment, versions, machine, objectives, plan and values of a run. */
export function configurationSection({ run }: RecordedRun): Html {
  const { deployment, plan } = run;
  return html`
    <section aria-labelledby="configuration">
      <h2 id="configuration">Configuration</h2>
      <div class="facts">
        ${factsTable('Deployment', [
          ['Mode', deployment.mode],
          ['Execution process', deployment.process],
          ['Database', deployment.database],
          ['Concurrent executions', deployment.slots === undefined ? 'not limited' : `${deployment.slots}`],
          ['Limits', `${deployment.limits.enforced ? 'enforced' : 'not enforced'}: ${deployment.limits.detail}`],
        ])}
        ${factsTable('Versions and machine', machineRows(run))} ${factsTable('Objectives', objectives(plan.slo))}
        ${factsTable('Plan', planRows(plan))} ${factsTable('Given values', givenValues(plan))}
      </div>
      ${instanceTable(deployment)} ${deployment.adopted && adoptedList(deployment.adopted)}
    </section>
  `;
}

/** A short table of names and values. */
export const factsTable = (caption: string, rows: Fact[]): Html =>
  html`<table class="facts-table">
    <caption>
      ${caption}
    </caption>
    <tbody>
      ${rows.map(
        ([name, value]) =>
          html`<tr>
            <th scope="row">${name}</th>
            <td>${value}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;

/** Versions, and the machine that ran the command. */
export function machineRows(run: RunRecord): Fact[] {
  const { versions, machine, deployment } = run;
  return [
    ...Object.entries(versions).map(([name, version]): Fact => [name, version]),
    ...(deployment.versionFrom ? [['n8n’s version from', deployment.versionFrom] satisfies Fact] : []),
    ...(deployment.askedWhy
      ? [['n8n asked for', `${deployment.askedVersion}: ${deployment.askedWhy}`] satisfies Fact]
      : []),
    ...replacedRow(deployment.replaced),
    ...(deployment.hooks ? [['Hooks', hooksText(deployment.hooks)] satisfies Fact] : []),
    ...exposureRow(run),
    ['Cores', `${machine.cpus}`],
    ['Memory', `${(machine.memoryBytes / 2 ** 30).toFixed(1)} GiB`],
    ['Platform', machine.platform],
  ];
}

const exposureRow = (run: RunRecord): Fact[] => {
  const exposure = knownExposure(run);
  return exposure ? [['Vulnerabilities', exposureText(exposure)]] : [];
};

/** Dependencies of n8n that were replaced. */
const replacedRow = (replaced: Record<string, string> = {}): Fact[] =>
  Object.keys(replaced).length === 0 ? [] : [['Replaced in n8n', replacedText(replaced)]];

/** The service level objectives. */
export function objectives(slo: Slo): Fact[] {
  const latencies = PERCENTILES.flatMap((p): Fact[] =>
    slo[p] === undefined ? [] : [[p, `at most ${formatSeconds(slo[p])} above the service time`]],
  );
  return [...latencies, ['Failed requests', `at most ${formatPercent(slo.errors)}`]];
}

/** How a configuration is measured. */
export function planRows(plan: Plan): Fact[] {
  return [
    ...plan.loads.map((load): Fact => [load.name, loadText(load)]),
    ['Arrivals', describeRates(plan.rates)],
    ['Warm-up', `at least ${plan.warmupSeconds} s, discarded`],
    ['Step', stepText(plan)],
    ['Drain', `at most ${plan.drainSeconds} s beyond the execution time`],
    ['Timeout', `${plan.timeoutSeconds} s per request`],
    ...Object.entries(plan.scriptEnv).map(([name, value]): Fact => [name, value]),
    ...(plan.configOrigin ? [configRow(plan.configOrigin)] : []),
  ];
}

const configRow = ({ file, flags }: ConfigOrigin): Fact => [
  'Config file',
  `${file}, for ${flags.map((flag) => `--${flag}`).join(', ')}`,
];

function loadText({ parts, serviceSeconds, executionSeconds, custom, served }: LoadPlan): string {
  const part = ({ workload, weight }: LoadPlan['parts'][number]) => {
    const share = parts.length > 1 ? `${weight} × ${workload}: ` : '';
    return `${share}service time ${serviceSeconds[workload] ?? 0} s, execution time ${executionSeconds[workload] ?? 0} s`;
  };
  const text = parts.map(part).join('; ');
  const webhook = custom ?? served;
  return webhook ? `${webhook.method} ${webhook.path}, ${text}; answers are checked by their status only` : text;
}

function stepText({ stepSeconds, rates }: Plan): string {
  const samples = searchOf(rates)?.samples;
  const longer = samples === undefined ? '' : `; near the capacity longer, for ${samples} requests, up to 60 s`;
  return `${stepSeconds} s measured${longer}`;
}

/** Differences between the manifests of another chart and what was run. */
const adoptedList = (notes: string[]): Html => html`
  <p>The manifests of another chart were run, with these differences:</p>
  <ul>
    ${notes.map((note) => html`<li>${note}</li>`)}
  </ul>
`;

/** The values that were given to Helm, and to which chart. */
export function givenValues({ values, foreign = {} }: Plan): Fact[] {
  const { overrides = {}, ...options } = foreign;
  const rows: Fact[] = [
    ...Object.entries(options).map(([option, value]): Fact => [`--${option}`, value]),
    ...Object.entries(overrides).map(([name, value]): Fact => [name, String(value)]),
    ...valuesFlags(values),
  ];
  return rows.length > 0 ? rows : [['None', 'the defaults of the chart']];
}

const orNone = (value: number | undefined): string => (value === undefined ? NONE : formatMib(value));

const instanceTable = ({ instances }: DeploymentRecord): Html =>
  table({
    label: 'Instances and their limits',
    columns: [
      { head: 'Instance', isText: true, cell: ({ name }) => name },
      { head: 'Component', isText: true, cell: ({ component }) => component },
      { head: 'CPU', cell: ({ limits }) => (limits.cpuMillis === undefined ? NONE : `${limits.cpuMillis} m`) },
      { head: 'Memory', cell: ({ limits }) => orNone(limits.memoryBytes && toMebibytes(limits.memoryBytes)) },
      { head: 'Heap', cell: ({ heapMiB }) => orNone(heapMiB) },
      { head: 'Runner heap', cell: ({ runnerHeapMiB }) => orNone(runnerHeapMiB) },
    ],
    rows: instances,
    caption: 'Instances with the limits that the chart sets.',
  });
