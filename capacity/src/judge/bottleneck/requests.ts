import { max, median } from 'simple-statistics';
import type { DeploymentRecord } from '../../model/run.js';
import type { Sample } from '../../model/sample.js';
import type { LimitCandidate } from './limit.js';

/**
 * The limit of the chart's overload protection, of each process that admits requests. It limits a step only if nothing else
 * that was measured does: requests pile up in front of a busy process, too.
 * @param window the samples of the step's measured part
 */
export const requestCandidates = ({ instances }: DeploymentRecord, window: Sample[]): LimitCandidate[] =>
  instances.flatMap(({ name, component }) => {
    const seen = window.flatMap((s) => s.instances.find((i) => i.name === name)?.admission ?? []);
    const [first, last] = [seen[0], seen.at(-1)];
    if (!first || !last) return [];
    const refused = Math.max(0, last.refused - first.refused);
    const waiting = median(seen.map((a) => a.waiting));
    const most = max(seen.map((a) => a.underWay));
    const reached = waiting > 0 || refused > 0;
    const adaptive = median(seen.map((a) => a.adaptive ?? a.limit));
    const may = adaptive < last.limit ? `${adaptive} when it is busy, ${last.limit} otherwise` : `${last.limit}`;
    const evidence = reached
      ? `${name} worked on up to ${most} requests at once (limit: ${may}); ${waiting} waited (median over the step), and ${refused} were refused`
      : `${name} worked on up to ${most} requests at once (limit: ${last.limit})`;
    return [{ limit: 'requests', instance: name, component, evidence, share: Math.min(1, most / last.limit), reached }];
  });
