'use strict';
/*
 * The chart's external hooks of n8n (EXTERNAL_HOOK_FILES). n8n reads a list of such files, so users can add their own. Variables
 * that the chart sets enable the hooks. Without them this file does nothing.
 */
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { readyHooks } = require('./lib/bind.js');
const collectInTime = require('./repairs/collect-in-time');
const drainConnections = require('./admission/drain-connections');
const findLostQueue = require('./repairs/find-lost-queue');
const hideMetrics = require('./admission/hide-metrics');
const ignoreUpgrades = require('./admission/ignore-upgrades');
const keepInput = require('./repairs/keep-input');
const limitRequests = require('./admission/limit-requests');
const readAgain = require('./repairs/read-again');
const refuseLiteralParameters = require('./admission/refuse-literal-parameters');
const refuseWhileStarting = require('./admission/refuse-while-starting');
const saveAgain = require('./repairs/save-again');
const waitForRoutes = require('./admission/wait-for-routes');

/** Hooks of main and webhook processors. Those that handle requests bind from the inside out. refuse-while-starting refuses requests until then. */
const ADMITTING = [
  collectInTime,
  hideMetrics,
  refuseLiteralParameters,
  limitRequests,
  ignoreUpgrades,
  keepInput,
  saveAgain,
  readAgain.onAdmitter,
  findLostQueue,
  drainConnections,
  refuseWhileStarting,
  waitForRoutes,
];

const WORKING = [collectInTime, saveAgain, readAgain.onWorker];

/** The load targets' hook, which the chart puts beside this file. Only main has the variable LOAD_TARGETS; it may be empty. */
const LOAD_TARGETS = join(__dirname, 'load-targets.js');
const loadTargets =
  process.env.LOAD_TARGETS !== undefined && existsSync(LOAD_TARGETS) ? require(LOAD_TARGETS).n8n.ready : [];

exports.n8n = { ready: [...readyHooks(ADMITTING), ...loadTargets] };
exports.worker = { ready: readyHooks(WORKING) };
