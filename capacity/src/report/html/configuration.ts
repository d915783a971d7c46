import { describeRates } from '../../plan/kinds.js';
import { milliseconds, percent } from '../../core/formats.js';
import type { DeploymentRecord } from '../../model/run.js';
import type { LoadPlan, Plan, Slo } from '../../model/plan.js';
import type { RecordedRun } from '../../record/recorder.js';
import { html, type Html } from './html.js';

/** What was deployed, with what it ran, and what was asked. */
export function configurationSection({ run }: RecordedRun): Html {
  const { deployment, versions, machine, plan } = run;
  return html`
    <section aria-labelledby="configuration">
      <h2 id="configuration">Configuration</h2>
      <div class="facts">
        ${factsTable('Deployment', [
          ['Mode', deployment.mode],
          ['Execution process', deployment.process],
          ['Database', deployment.database],
          ['Executions at once', deployment.slots === undefined ? 'not limited' : `${deployment.slots}`],
          ['Limits', `${deployment.limits.enforced ? 'enforced' : 'not enforced'}: ${deployment.limits.detail}`],
        ])}
        ${factsTable('Versions and machine', [
          ...Object.entries(versions).map(([name, version]): Row => [name, version]),
          ...(deployment.versionFrom ? [['n8n’s version by', deployment.versionFrom] as Row] : []),
          ['Cores', `${machine.cpus}`],
          ['Memory', `${(machine.memoryBytes / 2 ** 30).toFixed(1)} GiB`],
          ['Platform', machine.platform],
        ])}
        ${factsTable('Objectives', objectives(plan.slo))} ${factsTable('Plan', planRows(plan))}
        ${factsTable('Values given', givenValues(plan))}
      </div>
      ${instanceTable(deployment)}
    </section>
  `;
}

export type Row = [name: string, value: string];

/** A short table of names and values. */
export const factsTable = (caption: string, rows: Row[]): Html =>
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

/** The service level objectives, in words. */
export function objectives(slo: Slo): Row[] {
  const latencies = (['p50', 'p95', 'p99'] as const).flatMap((p): Row[] =>
    slo[p] === undefined ? [] : [[p, `at most ${milliseconds(slo[p])} above the service time`]],
  );
  return [...latencies, ['Failed requests', `at most ${percent(slo.errors)}`]];
}

/** How a configuration is measured. */
export function planRows(plan: Plan): Row[] {
  return [
    ...plan.loads.map((load): Row => [load.name, loadText(load)]),
    ['Arrivals', describeRates(plan.rates)],
    ['Warm-up', `${plan.warmupSeconds} s at least, discarded`],
    ['Step', stepText(plan)],
    ['Drain', `${plan.drainSeconds} s at most, beyond what an execution takes`],
    ['Timeout', `${plan.timeoutSeconds} s a request`],
    ...Object.entries(plan.scriptEnv).map(([name, value]): Row => [name, value]),
  ];
}

function loadText({ parts, serviceSeconds, executionSeconds, custom, served }: LoadPlan): string {
  const part = ({ workload, weight }: LoadPlan['parts'][number]) => {
    const share = parts.length > 1 ? `${weight} × ${workload}: ` : '';
    return `${share}answers after ${serviceSeconds[workload] ?? 0} s, works ${executionSeconds[workload] ?? 0} s by design`;
  };
  const text = parts.map(part).join('; ');
  const webhook = custom ?? served;
  return webhook
    ? `${webhook.method} ${webhook.path}, ${text}; an answer counts by its status alone, nothing in it is proof`
    : text;
}

function stepText({ stepSeconds, rates }: Plan): string {
  const samples = rates.kind === 'search' ? rates.samples : undefined;
  return `${stepSeconds} s, measured${samples === undefined ? '' : `; near the capacity ${samples} requests, up to 60 s`}`;
}

/** What was given to helm. */
export function givenValues({ values }: Plan): Row[] {
  const rows: Row[] = [
    ...values.files.map((file): Row => ['-f', file]),
    ...values.set.map((assignment): Row => ['--set', assignment]),
  ];
  return rows.length > 0 ? rows : [['None', 'the chart’s own defaults']];
}

function instanceTable({ instances }: DeploymentRecord): Html {
  const mib = (value: number | undefined) => html`<td>${value === undefined ? '–' : `${Math.round(value)} MiB`}</td>`;
  return html`
    <div class="scroll" role="region" tabindex="0" aria-label="Instances and their limits">
      <table>
        <caption>
          Instances and the limits that the chart gives them.
        </caption>
        <thead>
          <tr>
            <th scope="col" class="text">Instance</th>
            <th scope="col" class="text">Component</th>
            ${['CPU', 'Memory', 'Heap', 'Runner heap'].map((h) => html`<th scope="col">${h}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${instances.map(
            ({ name, component, limits, heapMiB, runnerHeapMiB }) =>
              html`<tr>
                <th scope="row">${name}</th>
                <td class="text">${component}</td>
                <td>${limits.cpuMillis === undefined ? '–' : `${limits.cpuMillis} m`}</td>
                ${mib(limits.memoryBytes && limits.memoryBytes / 2 ** 20)}${mib(heapMiB)}${mib(runnerHeapMiB)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}
