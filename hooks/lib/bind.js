'use strict';
/*
 * Binds hooks to n8n. A hook is an object:
 *
 *   name       the name of its folder
 *   isOn(env)  whether the chart's variables enable it
 *   load(env)  optional: called when n8n loads the file, before it has started
 *   bind(context, env)
 *              called when n8n is ready, with the server of n8n's `ready` hook. Changes n8n. Throws if this n8n is not supported
 *   otherwise  the consequence if the hook is inactive, for the log
 *
 * A hook that throws is inactive, and n8n starts without it.
 */
const { n8nVersion } = require('./n8n-modules.js');
const log = require('./log.js');
const { publish } = require('./publish.js');
const { setActive, setInactive, statuses } = require('./status.js');

/** Runs a hook's function. If it throws, the hook becomes inactive. Returns whether it succeeded. */
async function attempt(hook, call) {
  try {
    await call();
    return true;
  } catch (error) {
    setInactive(hook.name, error.message);
    log.warn(`hook ${hook.name} is inactive with n8n ${n8nVersion()}: ${error.message}. ${hook.otherwise}`);
    return false;
  }
}

/**
 * Returns the functions for n8n's `ready` hook.
 * @param hooks in the order in which they bind
 */
function readyHooks(hooks, env = process.env) {
  const wanted = hooks.filter((hook) => hook.isOn(env));
  const loading = wanted.map((hook) => attempt(hook, () => hook.load?.(env)));
  return [
    async (context) => {
      for (const [i, hook] of wanted.entries())
        if ((await loading[i]) && (await attempt(hook, () => hook.bind(context ?? {}, env)))) setActive(hook.name);
      await publishAndLog(env);
    },
  ];
}

async function publishAndLog(env) {
  try {
    publish(env);
  } catch (error) {
    log.warn(`hooks are not in the metrics: ${error.message}`);
  }
  const named = (isActive) =>
    [...statuses()].filter(([, status]) => status.isActive === isActive).map(([name]) => name);
  const [active, inactive] = [named(true), named(false)];
  const parts = [
    ...(active.length > 0 ? [`active: ${active.join(', ')}`] : []),
    ...(inactive.length > 0 ? [`inactive: ${inactive.join(', ')}`] : []),
  ];
  if (parts.length > 0) log.info(`hooks in n8n ${n8nVersion()}: ${parts.join('; ')}`);
}

module.exports = { readyHooks };
