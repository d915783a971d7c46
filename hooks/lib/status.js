'use strict';
/*
 * The status of each hook. The files that Node loads before n8n and the file that n8n loads share one list in the process, so that one
 * metric covers all hooks.
 */

const KEY = Symbol.for('n8n-tuned.hooks');

/** Statuses by the names of hooks: { isActive, reason }. A hook whose part of n8n has not been loaded yet is not in it. */
const statuses = () => (globalThis[KEY] ??= new Map());

/** Records that a hook has bound. */
const setActive = (name) => statuses().set(name, { isActive: true });

/**
 * Records that a hook is inactive because it does not support this n8n.
 * @param reason the part of n8n that is missing or different
 */
const setInactive = (name, reason) => statuses().set(name, { isActive: false, reason });

module.exports = { setActive, setInactive, statuses };
