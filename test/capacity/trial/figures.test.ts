import type { RecordedRun } from '../../../capacity/src/record/recorder.js';
import { figuresOf } from '../../../capacity/src/trial/figures.js';
import { goodStep, passingRun, type StepChanges } from '../support/index.js';

/** The run of a trial whose clients got 400 answers in 20 s. */
const run = (step: StepChanges = {}, more: Partial<RecordedRun> = {}): RecordedRun => {
  const { rate: _, ...closed } = goodStep(step);
  return { ...passingRun(), steps: [{ ...closed, clients: 20 }], events: [], ...more };
};

test('answers per second, the latency of the clients, and the memory', () => {
  expect(figuresOf(run())).toMatchObject({ perSecond: 20, p95: 0.12 });
});

test('a trial in which n8n died or requests failed gives no figures', () => {
  const died = { at: 1, instance: 'main-0', component: 'main' as const, kind: 'died' as const, detail: 'OOMKilled' };
  expect(figuresOf(run({}, { events: [died] })).failed).toMatch(/^main-0 died/);
  expect(figuresOf(run({ summary: { failed: 20 } })).failed).toMatch(/^20 of 420 requests failed/);
});

test('a trial that other processes disturbed is no failure of n8n', () => {
  const machine = { cores: 2, busyCores: 2, otherCores: 0.9, takenCores: 0.9 };
  const { disturbed, failed } = figuresOf(run({ machine }));
  expect(disturbed).toMatch(/other processes/);
  expect(failed).toBeUndefined();
});

test('a run without a step gives no figures', () => {
  expect(figuresOf(run({}, { steps: [] })).failed).toBeDefined();
});
