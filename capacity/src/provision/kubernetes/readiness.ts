import { NotReady } from '../../core/errors.js';
import { waitUntil } from '../../core/wait-until.js';
import { componentOf } from '../../chart/objects.js';
import type { Component } from '../../model/events.js';
import type { CustomWorkflow } from '../../model/plan.js';
import { ASK_MS } from './api-proxy.js';
import { isReady, type PodObject } from './api-objects.js';
import type { Cluster } from './cluster.js';
import { servesCustom } from './custom-workflow.js';
import { waitingFor } from './pod-waits.js';
import type { ReleaseView } from './release.js';

const READY_SECONDS = 300;

/** The webhooks that a release must serve before it is ready. */
export interface ServedBy {
  /** The component that serves production webhooks. */
  component: Component;
  /** Path of a load target's webhook. */
  path: string;
  custom?: CustomWorkflow;
}

/**
 * Waits until every workload has all its pods, all are ready, and each pod of `component` serves the webhooks.
 * @throws NotReady after 300 s, EnvironmentFault when the API server does not answer by then
 */
export async function untilReleaseReady(
  cluster: Cluster,
  view: ReleaseView,
  served: ServedBy,
  signal: AbortSignal,
): Promise<void> {
  let pods: PodObject[] = [];
  let unseen: Error | undefined;
  const isReadyNow = async () => {
    try {
      const [workloads, found] = await Promise.all([view.workloads(ASK_MS), view.pods(ASK_MS)]);
      // A pod that was evicted stays in the list beside the one that took its place.
      [pods, unseen] = [
        found.filter(({ status: { phase } }) => phase !== 'Failed' && phase !== 'Succeeded'),
        undefined,
      ];
      const wanted = workloads.reduce((total, { spec }) => total + (spec.replicas ?? 1), 0);
      return pods.length === wanted && pods.every(isReady) && (await answers(cluster, view, served, pods));
    } catch (error) {
      unseen = error as Error;
      return false;
    }
  };
  if (await waitUntil(isReadyNow, { seconds: READY_SECONDS, everyMs: 500, signal })) return;
  if (unseen) throw unseen;
  throw new NotReady('the release', `is not ready after ${READY_SECONDS} s: ${waitingFor(pods)}`);
}

/** A load target answers 403 without its token; n8n may be ready before its webhooks are registered. */
async function answers(
  cluster: Cluster,
  view: ReleaseView,
  { component, path, custom }: ServedBy,
  pods: PodObject[],
): Promise<boolean> {
  const serving = pods.filter((pod) => componentOf(pod) === component);
  const said = await Promise.all(serving.map(({ metadata }) => view.ask(metadata.name, path, ASK_MS)));
  if (!said.every((a) => a?.status === 403 && !isOfApiServer(a.body))) return false;
  if (!custom) return true;
  const served = await Promise.all(serving.map((pod) => servesCustom(cluster, view.namespace, pod, custom)));
  return served.every(Boolean);
}

/** Whether an answer comes from the API server itself, which says nothing about n8n. */
const isOfApiServer = (body: string): boolean => /"kind"\s*:\s*"Status"/.test(body);

/**
 * Deletes the pods that are in CrashLoopBackOff, so that Kubernetes starts new ones at once.
 * @param deleting called with their names before
 */
export async function replaceBackingOff(
  cluster: Cluster,
  view: ReleaseView,
  deleting: (names: string[]) => void,
): Promise<void> {
  const isBackingOff = ({ status }: PodObject) =>
    status.containerStatuses?.some((s) => s.state?.waiting?.reason === 'CrashLoopBackOff');
  const names = (await view.pods(ASK_MS)).filter(isBackingOff).map(({ metadata }) => metadata.name);
  deleting(names);
  if (names.length > 0)
    await cluster.kubectl(['--namespace', view.namespace, 'delete', 'pod', ...names, '--wait=false']);
}
