'use strict';
/*
 * Which hooks have bound to this n8n. Files that Node loads before n8n and the file that n8n loads share one list in the process, so
 * that all hooks are in one metric.
 */

const KEY = Symbol.for('n8n-tuned.hooks');

/** Statuses by the names of hooks: { isActive, reason }. A hook whose part of n8n has not been loaded yet is not in it. */
const statuses = () => (globalThis[KEY] ??= new Map());

/** Notes that a hook has bound. */
const setActive = (name) => statuses().set(name, { isActive: true });

/**
 * Notes that a hook has found n8n changed, and does nothing.
 * @param reason what it did not find
 */
const setInactive = (name, reason) => statuses().set(name, { isActive: false, reason });

module.exports = { setActive, setInactive, statuses };
