import { RELEASE } from '../../chart/render.js';

/**
 * Series in promtool's notation with one sample a minute, and the situation they stand for. The alert is evaluated after 30
 * min.
 */
interface Situation {
  when: string;
  series: Record<string, string>;
}

const of = (component: string, more = ''): string =>
  `{namespace="default",job="${RELEASE}-${component}",pod="${component}-0"${more}}`;
const main = of('main');
const pod = `{namespace="default",pod="${RELEASE}-worker-0",container="n8n"}`;
const runner = pod.replace('"n8n"', '"runners"');
const MIB = 1024 * 1024;

/**
 * Every alert, for a release with a recorded capacity of 10 executions/s, 2 workers of 10 slots and a heap of main of 1000
 * MiB.
 */
export const alerts: { alert: string; fires: Situation; quiet: Situation }[] = [
  {
    alert: 'N8nNearRecordedCapacity',
    fires: {
      when: 'main and webhook processor start 7.5/s',
      series: {
        [`n8n_workflow_started_total${of('main', ',workflow_id="1"')}`]: '0+150x40',
        [`n8n_workflow_started_total${of('webhook', ',workflow_id="2"')}`]: '0+300x40',
      },
    },
    quiet: {
      when: 'they start 6.5/s',
      series: {
        [`n8n_workflow_started_total${of('main', ',workflow_id="1"')}`]: '0+150x40',
        [`n8n_workflow_started_total${of('webhook', ',workflow_id="2"')}`]: '0+240x40',
      },
    },
  },
  {
    alert: 'N8nNearRecordedCapacity',
    fires: {
      when: 'main restarts, and a webhook processor is replaced, at 7.5/s',
      series: {
        [`n8n_workflow_started_total${of('main', ',workflow_id="1"')}`]: '0+225x9 0+225x30',
        [`n8n_workflow_started_total${of('webhook', ',workflow_id="2"')}`]: '0+225x10 stale',
        [`n8n_workflow_started_total${of('webhook', ',workflow_id="2"').replace('webhook-0', 'webhook-1')}`]:
          '_x10 0+225x30',
      },
    },
    quiet: {
      when: 'they do at 6/s',
      series: {
        [`n8n_workflow_started_total${of('main', ',workflow_id="1"')}`]: '0+180x9 0+180x30',
        [`n8n_workflow_started_total${of('webhook', ',workflow_id="2"')}`]: '0+180x10 stale',
        [`n8n_workflow_started_total${of('webhook', ',workflow_id="2"').replace('webhook-0', 'webhook-1')}`]:
          '_x10 0+180x30',
      },
    },
  },
  {
    alert: 'N8nWorkersSaturated',
    fires: {
      when: '19 of 20 slots are taken',
      series: {
        [`n8n_scaling_mode_queue_jobs_active${main}`]: '19x40',
        [`up${of('worker')}`]: '1x40',
        [`up${of('worker', ',instance="b"')}`]: '1x40',
      },
    },
    quiet: {
      when: '17 are',
      series: {
        [`n8n_scaling_mode_queue_jobs_active${main}`]: '17x40',
        [`up${of('worker')}`]: '1x40',
        [`up${of('worker', ',instance="b"')}`]: '1x40',
      },
    },
  },
  {
    alert: 'N8nBacklogGrowing',
    fires: {
      when: '60 more a minute wait, with 600 finished',
      series: {
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '1+60x40',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '0+600x40',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0x40',
      },
    },
    quiet: {
      when: 'as many wait as did before',
      series: {
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '100 105 95 102 99 101 100 98 103 100x31',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '0+600x40',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0x40',
      },
    },
  },
  {
    alert: 'N8nQueueWait',
    fires: {
      when: '100 wait and 1/s is finished',
      series: {
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '100x40',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '0+48x40',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0+12x40',
      },
    },
    quiet: {
      when: '100 wait and 10/s are finished',
      series: {
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '100x40',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '0+600x40',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0x40',
      },
    },
  },
  {
    alert: 'N8nQueueWait',
    fires: {
      when: 'one waits and nothing is finished',
      series: {
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '1x40',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '7x40',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0x40',
      },
    },
    quiet: {
      when: 'nothing waits and nothing is finished',
      series: {
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '0x40',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '7x40',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0x40',
      },
    },
  },
  {
    alert: 'N8nRequestsRefused',
    fires: {
      when: 'one in ten is refused',
      series: {
        [`n8n_admission_refused_total${of('webhook', ',reason="line"')}`]: '0+60x40',
        [`n8n_admission_admitted_total${of('webhook')}`]: '0+540x40',
      },
    },
    quiet: {
      when: 'n8n ends, and nothing else is refused',
      series: {
        [`n8n_admission_refused_total${of('webhook', ',reason="ending"')}`]: '0+60x40',
        [`n8n_admission_refused_total${of('webhook', ',reason="line"')}`]: '0x40',
        [`n8n_admission_admitted_total${of('webhook')}`]: '0+540x40',
      },
    },
  },
  {
    alert: 'N8nRequestsRefused',
    fires: {
      when: 'the process that refused went away, and another refuses its first',
      series: {
        [`n8n_admission_refused_total${of('webhook', ',reason="line"')}`]: '0+60x26 stale',
        [`n8n_admission_admitted_total${of('webhook')}`]: '0+540x26 stale',
        [`n8n_admission_refused_total${of('webhook', ',reason="line"').replace('webhook-0', 'webhook-1')}`]:
          '_x25 60+60x15',
        [`n8n_admission_admitted_total${of('webhook').replace('webhook-0', 'webhook-1')}`]: '_x25 0+540x15',
      },
    },
    quiet: {
      when: 'one that had refused went away, and restarted ones do not refuse',
      series: {
        [`n8n_admission_refused_total${of('webhook', ',reason="line"')}`]: '500x22 stale',
        [`n8n_admission_admitted_total${of('webhook')}`]: '9000+540x22 stale',
        [`n8n_admission_refused_total${main.replace('}', ',reason="line"}')}`]: '500x22 0x18',
        [`n8n_admission_admitted_total${main}`]: '9000+540x22 0+540x17',
      },
    },
  },
  {
    alert: 'N8nQueueStuck',
    fires: {
      when: 'executions wait, all slots are taken and nothing is finished',
      series: {
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '3x40',
        [`n8n_scaling_mode_queue_jobs_active${main}`]: '20x40',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '7x40',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0x40',
      },
    },
    quiet: {
      when: 'one fails in 10 min',
      series: {
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '3x40',
        [`n8n_scaling_mode_queue_jobs_active${main}`]: '20x40',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '7x40',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0x20 1x20',
      },
    },
  },
  {
    alert: 'N8nQueueStuck',
    fires: {
      when: 'the queue is paused: jobs are added, and none is waiting or active',
      series: {
        [`n8n_queue_job_enqueued_total${of('webhook')}`]: '0+60x40',
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '0x40',
        [`n8n_scaling_mode_queue_jobs_active${main}`]: '0x40',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '7x40',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0x40',
      },
    },
    quiet: {
      when: 'one long execution runs',
      series: {
        [`n8n_queue_job_enqueued_total${of('webhook')}`]: '1x17 2x23',
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '0x40',
        [`n8n_scaling_mode_queue_jobs_active${main}`]: '0x17 1x23',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '7x40',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0x40',
      },
    },
  },
  {
    alert: 'N8nQueueStuck',
    fires: {
      when: 'a process that is gone added the only job to a paused queue',
      series: {
        [`n8n_queue_job_enqueued_total${of('webhook')}`]: '_x18 1x2 stale',
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '0x40',
        [`n8n_scaling_mode_queue_jobs_active${main}`]: '0x40',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '7x40',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0x40',
      },
    },
    quiet: {
      when: 'main restarted, and executions are finished',
      series: {
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '3x40',
        [`n8n_scaling_mode_queue_jobs_active${main}`]: '20x40',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '7+10x20 0+10x18',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0x40',
      },
    },
  },
  {
    alert: 'N8nQueueStuck',
    fires: {
      when: 'the main that had finished executions was replaced long ago, and the new one finishes none',
      series: {
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '0x8 stale',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '7+10x8 stale',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0x8 stale',
        [`n8n_scaling_mode_queue_jobs_waiting${main.replace('main-0', 'main-1')}`]: '_x9 3x31',
        [`n8n_scaling_mode_queue_jobs_completed${main.replace('main-0', 'main-1')}`]: '_x9 0x31',
        [`n8n_scaling_mode_queue_jobs_failed${main.replace('main-0', 'main-1')}`]: '_x9 0x31',
      },
    },
    quiet: {
      when: 'the one that finished executions was replaced a moment ago',
      series: {
        [`n8n_scaling_mode_queue_jobs_waiting${main}`]: '3x26 stale',
        [`n8n_scaling_mode_queue_jobs_completed${main}`]: '7+10x26 stale',
        [`n8n_scaling_mode_queue_jobs_failed${main}`]: '0x26 stale',
        [`n8n_scaling_mode_queue_jobs_waiting${main.replace('main-0', 'main-1')}`]: '_x27 3x13',
        [`n8n_scaling_mode_queue_jobs_completed${main.replace('main-0', 'main-1')}`]: '_x27 0x13',
        [`n8n_scaling_mode_queue_jobs_failed${main.replace('main-0', 'main-1')}`]: '_x27 0x13',
      },
    },
  },
  {
    alert: 'N8nExecutionsLost',
    fires: { when: 'the first stalls', series: { [`n8n_queue_job_stalled_total${main}`]: '_x25 1x15' } },
    quiet: { when: 'one stalled an hour ago', series: { [`n8n_queue_job_stalled_total${main}`]: '1x40' } },
  },
  {
    alert: 'N8nExecutionsLost',
    fires: {
      when: 'one stalls in a new main, and the old one, which had counted five, went away',
      series: {
        [`n8n_queue_job_stalled_total${main}`]: '5x26 stale',
        [`n8n_queue_job_stalled_total${of('main').replace('main-0', 'main-1')}`]: '_x28 1x12',
      },
    },
    quiet: {
      when: 'main, which had counted five, went away',
      series: { [`n8n_queue_job_stalled_total${main}`]: '5x26 stale' },
    },
  },
  {
    alert: 'N8nExecutionsLost',
    fires: {
      when: 'main restarted in its pod, and counted as many again as before',
      series: { [`n8n_queue_job_stalled_total${main}`]: '1x14 stale _x9 1x15' },
    },
    quiet: {
      when: 'nobody asked main for some minutes',
      series: { [`n8n_queue_job_stalled_total${main}`]: '5x17 stale _x3 5x19' },
    },
  },
  {
    alert: 'N8nExecutionsLost',
    fires: {
      when: 'a webhook pod counted its first and was rolled away',
      series: { [`n8n_queue_job_stalled_total${of('webhook')}`]: '_x22 1x3 stale' },
    },
    quiet: {
      when: 'one was rolled away that had counted some an hour ago',
      series: { [`n8n_queue_job_stalled_total${of('webhook')}`]: '3x22 stale' },
    },
  },
  {
    alert: 'N8nExecutionsLost',
    fires: {
      when: 'one stalls besides an old one, and its pod is rolled away',
      series: { [`n8n_queue_job_stalled_total${of('webhook')}`]: '1x20 2x3 stale' },
    },
    quiet: {
      when: 'the last ones stalled 25 min ago',
      series: { [`n8n_queue_job_stalled_total${of('webhook')}`]: '1x3 2x37' },
    },
  },
  {
    alert: 'N8nExecutionsFailing',
    fires: {
      when: '1 of 10 fails',
      series: {
        [`n8n_workflow_success_total${of('main', ',workflow_id="1"')}`]: '0+9x40',
        [`n8n_workflow_failed_total${of('webhook', ',workflow_id="2"')}`]: '0+1x40',
      },
    },
    quiet: {
      when: '1 of 50 does',
      series: {
        [`n8n_workflow_success_total${of('main', ',workflow_id="1"')}`]: '0+49x40',
        [`n8n_workflow_failed_total${of('webhook', ',workflow_id="2"')}`]: '0+1x40',
      },
    },
  },
  {
    alert: 'N8nExecutionsFailing',
    fires: {
      when: 'all fail, from the beginning',
      series: { [`n8n_workflow_failed_total${of('main', ',workflow_id="1"')}`]: '0+1x40' },
    },
    quiet: {
      when: '3 were executed and all failed',
      series: { [`n8n_workflow_failed_total${of('main', ',workflow_id="1"')}`]: '0x20 1+1x2 3x20' },
    },
  },
  {
    alert: 'N8nExecutionsFailing',
    fires: {
      when: 'processes that start one after another each fail in their first executions, and go away',
      series: Object.fromEntries(
        [0, 1, 2, 3].map((pod) => [
          `n8n_workflow_failed_total${of('worker', ',workflow_id="1"').replace('worker-0', `worker-${pod}`)}`,
          `_x${20 + 2 * pod} 4x3 stale`,
        ]),
      ),
    },
    quiet: {
      when: 'a process goes away that had failed often before',
      series: {
        [`n8n_workflow_failed_total${of('worker', ',workflow_id="1"')}`]: '100x22 stale',
        [`n8n_workflow_success_total${of('webhook', ',workflow_id="2"')}`]: '0+20x40',
      },
    },
  },
  {
    alert: 'N8nExecutionsFailing',
    fires: {
      when: 'main restarted in its pod, and fails as often as before',
      series: {
        [`n8n_workflow_failed_total${of('main', ',workflow_id="1"')}`]: '0+2x20 stale _ 0+2x18',
        [`n8n_workflow_success_total${of('main', ',workflow_id="1"')}`]: '0+8x20 stale _ 0+8x18',
      },
    },
    quiet: {
      when: 'it restarted, and does not',
      series: {
        [`n8n_workflow_failed_total${of('main', ',workflow_id="1"')}`]: '0x20 stale _ 0x18',
        [`n8n_workflow_success_total${of('main', ',workflow_id="1"')}`]: '0+8x20 stale _ 0+8x18',
      },
    },
  },
  {
    alert: 'N8nEventLoopLag',
    fires: { when: 'it is 0.6 s', series: { [`n8n_nodejs_eventloop_lag_p99_seconds${main}`]: '0.6x40' } },
    quiet: {
      when: 'it is that for 4 min',
      series: { [`n8n_nodejs_eventloop_lag_p99_seconds${main}`]: '0.02x26 0.6x14' },
    },
  },
  {
    alert: 'N8nEventLoopLag',
    fires: {
      when: 'an n8n below 1.100 shows it without the prefix',
      series: { [`nodejs_eventloop_lag_p99_seconds${main}`]: '0.6x40' },
    },
    quiet: { when: 'it is 0.4 s', series: { [`nodejs_eventloop_lag_p99_seconds${main}`]: '0.4x40' } },
  },
  {
    alert: 'N8nProcessMissing',
    fires: {
      when: 'one of two workers is gone',
      series: { [`up${main}`]: '1x40', [`up${of('worker')}`]: '1x40', [`up${of('webhook')}`]: '2x40' },
    },
    quiet: {
      when: 'all are there',
      series: {
        [`up${main}`]: '1x40',
        [`up${of('worker')}`]: '1x40',
        [`up${of('worker', ',instance="b"')}`]: '1x40',
        [`up${of('webhook')}`]: '1x40',
        [`up${of('webhook', ',instance="b"')}`]: '1x40',
      },
    },
  },
  {
    alert: 'N8nProcessSaturated',
    fires: {
      when: 'a worker uses 0.95 cores',
      series: { [`n8n_process_cpu_seconds_total${of('worker')}`]: '0+57x40' },
    },
    quiet: { when: 'it uses 0.8', series: { [`n8n_process_cpu_seconds_total${of('worker')}`]: '0+48x40' } },
  },
  {
    alert: 'N8nProcessSaturated',
    fires: {
      when: 'a worker that restarts uses 0.95 cores again',
      series: { [`n8n_process_cpu_seconds_total${of('worker')}`]: '0+57x12 0+57x28' },
    },
    quiet: {
      when: 'one that used 0.95 is gone',
      series: { [`n8n_process_cpu_seconds_total${of('worker')}`]: '0+57x20 stale' },
    },
  },
  {
    alert: 'N8nHeapNearLimit',
    fires: {
      when: '950 of 1000 MiB stay used',
      series: { [`n8n_nodejs_heap_size_used_bytes${main}`]: `${950 * MIB}x40` },
    },
    quiet: {
      when: 'each collection takes it down to 600',
      series: {
        [`n8n_nodejs_heap_size_used_bytes${main}`]: Array(10)
          .fill(`${950 * MIB} ${980 * MIB} ${600 * MIB} ${900 * MIB}`)
          .join(' '),
      },
    },
  },
  {
    alert: 'N8nRestarted',
    fires: {
      when: 'it started again 10 min ago',
      series: { [`n8n_process_start_time_seconds${main}`]: '1000x20 2200x20' },
    },
    quiet: { when: 'it started once', series: { [`n8n_process_start_time_seconds${main}`]: '1000x40' } },
  },
  {
    alert: 'N8nOutOfMemory',
    fires: {
      when: 'V8 aborts',
      series: {
        [`kube_pod_container_status_last_terminated_exitcode${pod}`]: '_x20 134x20',
        [`kube_pod_container_status_restarts_total${pod}`]: '0x20 1x20',
      },
    },
    quiet: {
      when: 'it ended by itself',
      series: {
        [`kube_pod_container_status_last_terminated_exitcode${pod}`]: '_x20 1x20',
        [`kube_pod_container_status_restarts_total${pod}`]: '0x20 1x20',
      },
    },
  },
  {
    alert: 'N8nOutOfMemory',
    fires: {
      when: 'it is OOM-killed',
      series: {
        [`kube_pod_container_status_last_terminated_reason${pod.replace('}', ',reason="OOMKilled"}')}`]: '_x20 1x20',
        [`kube_pod_container_status_restarts_total${pod}`]: '0x20 1x20',
      },
    },
    quiet: {
      when: 'it was, hours ago',
      series: {
        [`kube_pod_container_status_last_terminated_reason${pod.replace('}', ',reason="OOMKilled"}')}`]: '1x40',
        [`kube_pod_container_status_restarts_total${pod}`]: '1x40',
      },
    },
  },
  {
    alert: 'N8nOutOfMemory',
    fires: {
      when: 'a runner beside it is OOM-killed',
      series: {
        [`kube_pod_init_container_status_last_terminated_reason${runner.replace('}', ',reason="OOMKilled"}')}`]:
          '_x20 1x20',
        [`kube_pod_init_container_status_restarts_total${runner}`]: '0x20 1x20',
      },
    },
    quiet: {
      when: 'n8n restarts beside a runner that was, hours ago',
      series: {
        [`kube_pod_init_container_status_last_terminated_reason${runner.replace('}', ',reason="OOMKilled"}')}`]: '1x40',
        [`kube_pod_init_container_status_restarts_total${runner}`]: '1x40',
        [`kube_pod_container_status_restarts_total${pod}`]: '0x20 1x20',
      },
    },
  },
  {
    alert: 'N8nHookInactive',
    fires: {
      when: 'a hook of a worker found n8n changed',
      series: { [`n8n_tuned_hook_active${of('worker', ',hook="save-again",version="9.9.9"')}`]: '_x10 0x30' },
    },
    quiet: {
      when: 'it did in the pod before',
      series: {
        [`n8n_tuned_hook_active${of('worker', ',hook="save-again",version="9.9.9"')}`]: '0x20 stale',
        [`n8n_tuned_hook_active${of('worker', ',hook="save-again",version="2.41.1"').replace('worker-0', 'worker-1')}`]:
          '_x20 1x20',
      },
    },
  },
  {
    alert: 'N8nRescueGaveUp',
    fires: {
      when: 'one execution crashed in each try',
      series: {
        [`n8n_rescue_executions${of('rescue', ',fate="given_up"')}`]: '0x20 1x20',
        [`n8n_rescue_executions${of('rescue', ',fate="due"')}`]: '0x40',
      },
    },
    quiet: {
      when: 'one is due',
      series: {
        [`n8n_rescue_executions${of('rescue', ',fate="given_up"')}`]: '0x40',
        [`n8n_rescue_executions${of('rescue', ',fate="due"')}`]: '1x40',
      },
    },
  },
  {
    alert: 'N8nRescueStopped',
    fires: {
      when: 'it has looked at n8n 20 min ago',
      series: { [`n8n_rescue_last_look_timestamp_seconds${of('rescue')}`]: '0+60x10 600x30' },
    },
    quiet: {
      when: 'it looks every minute',
      series: { [`n8n_rescue_last_look_timestamp_seconds${of('rescue')}`]: '0+60x40' },
    },
  },
];
