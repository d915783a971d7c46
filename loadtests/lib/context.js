import exec from 'k6/execution';

// k6 makes these objects anew at every access, at a cost of tens of microseconds; what they say is always of now.
let ofScenario;
let ofUser;

/** k6's `exec.scenario`, for use in iterations. */
export const scenario = () => (ofScenario ??= exec.scenario);

/** The tags of this virtual user: those of its scenario, and those set here until the scenario ends. */
export const tags = () => (ofUser ??= exec.vu.metrics.tags);
