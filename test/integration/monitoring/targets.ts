import type { ProcessSource } from '../../../capacity/src/observe/runner-process-watch.js';
import type { Manifest } from '../../chart/render.js';
import type { Target } from './prometheus.js';

const matches = (labels: Record<string, string>, selector: Manifest): boolean =>
  Object.entries(selector.matchLabels).every(([name, value]) => labels[name] === value);

/**
 * The scrape targets that prometheus-operator would derive from the rendered monitors: the process that each selects (a
 * ServiceMonitor through its Service), and the labels of its series.
 */
export function findScrapeTargets(objects: Manifest[], sources: ProcessSource[]): Target[] {
  const monitors = objects.filter(({ kind }) => kind === 'ServiceMonitor' || kind === 'PodMonitor');
  return monitors.flatMap((monitor) => {
    const [endpoint] = monitor.spec.endpoints ?? monitor.spec.podMetricsEndpoints;
    const services = objects.filter((o) => o.kind === 'Service' && matches(o.metadata.labels, monitor.spec.selector));
    return sources
      .filter(({ component, metricsUrl }) => {
        const pod = objects.find(
          (o) => o.kind === 'Deployment' && o.metadata.labels['app.kubernetes.io/component'] === component,
        )?.spec.template;
        if (!pod || !metricsUrl) return false;
        const port = pod.spec.containers[0].ports.find((p: { name: string }) => p.name === endpoint.port);
        if (monitor.kind === 'PodMonitor') return port && matches(pod.metadata.labels, monitor.spec.selector);
        return services.some(
          ({ spec }) =>
            matches(pod.metadata.labels, { matchLabels: spec.selector }) &&
            spec.ports.some((p: { name: string }) => p.name === endpoint.port),
        );
      })
      .map(({ name, metricsUrl }) => ({
        url: new URL(endpoint.path, metricsUrl).href,
        labels: {
          namespace: monitor.metadata.namespace,
          pod: name,
          ...Object.fromEntries(endpoint.relabelings.map((r: Manifest) => [r.targetLabel, r.replacement])),
        },
      }));
  });
}
