import exec from 'k6/execution';

// k6 creates these objects again at every access, which takes tens of microseconds. Their properties are always current.
let cachedScenario;
let cachedTags;

/** k6's `exec.scenario`, for use in iterations. */
export const currentScenario = () => (cachedScenario ??= exec.scenario);

/** The tags of this virtual user: those of its scenario, and those that the script sets until the scenario ends. */
export const currentTags = () => (cachedTags ??= exec.vu.metrics.tags);
