/* n8n-tuned: built from hooks/ by "npm run hooks". Change it there. */
"use strict";
var __getOwnPropNames = Object.getOwnPropertyNames;
var __commonJS = (cb, mod) => function __require() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};

// lib/n8n-modules.js
var require_n8n_modules = __commonJS({
  "lib/n8n-modules.js"(exports2, module2) {
    "use strict";
    var { createRequire } = require("node:module");
    var ACTIVE_EXECUTIONS = /[\\/]n8n[\\/]dist[\\/](active-executions|ActiveExecutions)\.js$/;
    var STORES = [
      ["./executions/execution-persistence", "ExecutionPersistence"],
      ["@n8n/db", "ExecutionRepository"]
    ];
    function n8nModules() {
      const path = Object.keys(require.cache).find((file) => ACTIVE_EXECUTIONS.test(file));
      return path && { path, require: createRequire(path) };
    }
    function containerOf(requireOfN8n) {
      try {
        return requireOfN8n("@n8n/di").Container;
      } catch {
        return requireOfN8n("typedi").Container;
      }
    }
    function executionStore(requireOfN8n, method) {
      const found = STORES.flatMap(([module3, name]) => {
        try {
          return requireOfN8n(module3)[name] ?? [];
        } catch {
          return [];
        }
      }).find((one) => typeof one.prototype[method] === "function");
      return found && containerOf(requireOfN8n).get(found);
    }
    function n8nVersion() {
      try {
        return n8nModules().require("../package.json").version;
      } catch {
        return "unknown";
      }
    }
    function isAtLeast2(minor, requireOfN8n) {
      const [major, ofMajor] = requireOfN8n("../package.json").version.split(".").map(Number);
      return major > 2 || major === 2 && ofMajor >= minor;
    }
    function requireN8nModules() {
      const modules = n8nModules();
      if (!modules) throw new Error("this n8n has its parts elsewhere");
      return modules;
    }
    module2.exports = { containerOf, executionStore, isAtLeast2, n8nModules, n8nVersion, requireN8nModules };
  }
});

// lib/log.js
var require_log = __commonJS({
  "lib/log.js"(exports2, module2) {
    "use strict";
    function format(level, message, env = process.env, now = /* @__PURE__ */ new Date()) {
      const text = `n8n-tuned: ${message}`;
      if (env.N8N_LOG_FORMAT !== "json") return text;
      return JSON.stringify({ level, message: text, timestamp: now.toISOString() });
    }
    var info = (message) => console.log(format("info", message));
    var warn = (message) => console.warn(format("warn", message));
    module2.exports = { format, info, warn };
  }
});

// lib/status.js
var require_status = __commonJS({
  "lib/status.js"(exports2, module2) {
    "use strict";
    var KEY = /* @__PURE__ */ Symbol.for("n8n-tuned.hooks");
    var statuses = () => globalThis[KEY] ??= /* @__PURE__ */ new Map();
    var setActive = (name) => statuses().set(name, { isActive: true });
    var setInactive = (name, reason) => statuses().set(name, { isActive: false, reason });
    module2.exports = { setActive, setInactive, statuses };
  }
});

// lib/publish.js
var require_publish = __commonJS({
  "lib/publish.js"(exports2, module2) {
    "use strict";
    var { n8nModules, n8nVersion } = require_n8n_modules();
    var { statuses } = require_status();
    var metricsPrefix = (env) => env.N8N_METRICS_PREFIX ?? "n8n_";
    function publish(env) {
      if (env.N8N_METRICS !== "true") return;
      const modules = n8nModules();
      if (!modules) throw new Error("this n8n has its parts elsewhere");
      const { Gauge } = modules.require("prom-client");
      const version = n8nVersion();
      new Gauge({
        name: `${metricsPrefix(env)}tuned_hook_active`,
        help: "Whether a hook of n8n-tuned has bound to this n8n (1), or found it changed and does nothing (0)",
        labelNames: ["hook", "version"],
        collect() {
          this.reset();
          for (const [hook, { isActive }] of statuses()) this.set({ hook, version }, isActive ? 1 : 0);
        }
      });
    }
    module2.exports = { metricsPrefix, publish };
  }
});

// lib/bind.js
var require_bind = __commonJS({
  "lib/bind.js"(exports2, module2) {
    "use strict";
    var { n8nVersion } = require_n8n_modules();
    var log = require_log();
    var { publish } = require_publish();
    var { setActive, setInactive, statuses } = require_status();
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
    function readyHooks2(hooks, env = process.env) {
      const wanted = hooks.filter((hook) => hook.isOn(env));
      const loading = wanted.map((hook) => attempt(hook, () => hook.load?.(env)));
      return [
        async (context) => {
          for (const [i, hook] of wanted.entries())
            if (await loading[i] && await attempt(hook, () => hook.bind(context ?? {}, env))) setActive(hook.name);
          await publishAndLog(env);
        }
      ];
    }
    async function publishAndLog(env) {
      try {
        publish(env);
      } catch (error) {
        log.warn(`hooks are not in the metrics: ${error.message}`);
      }
      const named = (isActive) => [...statuses()].filter(([, status]) => status.isActive === isActive).map(([name]) => name);
      const [active, inactive] = [named(true), named(false)];
      const parts = [
        ...active.length > 0 ? [`active: ${active.join(", ")}`] : [],
        ...inactive.length > 0 ? [`inactive: ${inactive.join(", ")}`] : []
      ];
      if (parts.length > 0) log.info(`hooks in n8n ${n8nVersion()}: ${parts.join("; ")}`);
    }
    module2.exports = { readyHooks: readyHooks2 };
  }
});

// lib/garbage.js
var require_garbage = __commonJS({
  "lib/garbage.js"(exports2, module2) {
    "use strict";
    var { setFlagsFromString } = require("node:v8");
    var { runInNewContext } = require("node:vm");
    var NODE = Number(process.versions.node.split(".")[0]);
    function collect(...options) {
      setFlagsFromString("--expose-gc");
      const gc = runInNewContext("gc");
      setFlagsFromString("--no-expose-gc");
      gc(...options);
    }
    var release = () => collect(...NODE >= 22 ? [{ type: "major", execution: "sync", flavor: "last-resort" }] : []);
    module2.exports = { NODE, collect, release };
  }
});

// lib/container.js
var require_container = __commonJS({
  "lib/container.js"(exports2, module2) {
    "use strict";
    var { readFileSync } = require("node:fs");
    var { totalmem } = require("node:os");
    var { join: join2 } = require("node:path");
    var { release } = require_garbage();
    var log = require_log();
    var FULL = 0.85;
    var URGENT = 0.9;
    var EASED = 0.75;
    var PERIOD = 500;
    var [PAUSE, LONGEST_PAUSE] = [1e4, 6e4];
    var MOST_OF_TIME = 0.05;
    var SETTLED_AFTER = 1e3;
    var VERSIONS = [
      {
        ...{ entry: /^0::(.*)$/m, in: "", limit: "memory.max", usage: "memory.current" },
        file: /^(?:(?:in)?active_file|slab_reclaimable) (\d+)$/gm
      },
      {
        entry: /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m,
        in: "memory",
        limit: "memory.limit_in_bytes",
        usage: "memory.usage_in_bytes",
        file: /^total_(?:in)?active_file (\d+)$/gm
      }
    ];
    var read = (...path) => readFileSync(join2(...path), "utf8");
    function shareOfContainer(root = "/sys/fs/cgroup", own = readOwnCgroups()) {
      for (const version of VERSIONS)
        for (const path of [version.entry.exec(own)?.[1], ""].filter((each) => each !== void 0)) {
          const folder = join2(root, version.in, path);
          const limit = readMemoryLimit(folder, version);
          if (limit) return () => readUsedMemory(folder, version) / limit;
        }
      return void 0;
    }
    function readOwnCgroups() {
      try {
        return read("/proc/self/cgroup");
      } catch {
        return "";
      }
    }
    function readMemoryLimit(folder, { limit }) {
      try {
        const bytes = Number(read(folder, limit));
        return bytes > 0 && bytes <= totalmem() ? bytes : void 0;
      } catch {
        return void 0;
      }
    }
    function readUsedMemory(folder, { usage, file }) {
      try {
        const ofFiles = [...read(folder, "memory.stat").matchAll(file)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
        return Number(read(folder, usage)) - ofFiles;
      } catch {
        return NaN;
      }
    }
    var HERE = { now: () => performance.now(), free: release, warn: log.warn };
    var ContainerMemory = class {
      /** Share of the container in use without garbage, as far as collections have shown. */
      lived = 0;
      /** Called when a collection has updated `lived`. */
      onLived = () => {
      };
      /** Lowest share since the last collection. Memory used above it may be garbage. */
      #least = Infinity;
      #wait = PAUSE;
      #soonest = -Infinity;
      #next = -Infinity;
      #settledAt = Infinity;
      #hasWarned = false;
      /** @param share returns the share of the container's memory in use */
      constructor(share2, here = {}) {
        Object.assign(this, { ...HERE, ...here, share: share2 });
      }
      look() {
        const [now, share2] = [this.now(), this.share()];
        if (Number.isNaN(share2)) return;
        this.#least = Math.min(this.#least, share2);
        this.lived = Math.min(this.lived, share2);
        if (share2 < EASED) [this.#wait, this.#next] = [PAUSE, this.#soonest];
        if (now >= this.#settledAt) this.#settle();
        if (share2 >= FULL && now >= (share2 >= URGENT ? this.#soonest : this.#next)) this.#collect(now);
      }
      #settle() {
        this.#settledAt = Infinity;
        this.lived = this.#least;
        this.onLived();
      }
      #collect(before) {
        if (!this.#hasWarned) this.warn(`${100 * FULL} % of the container's memory is taken; garbage is collected early`);
        this.#hasWarned = true;
        this.free();
        const now = this.now();
        this.lived = Math.min(this.lived, FULL);
        this.#least = Infinity;
        this.#settledAt = now + SETTLED_AFTER;
        this.#soonest = now + Math.min(LONGEST_PAUSE, Math.max(PAUSE, (now - before) / MOST_OF_TIME));
        this.#next = Math.max(this.#soonest, now + this.#wait);
        this.#wait = Math.min(LONGEST_PAUSE, 2 * this.#wait);
      }
    };
    var share = shareOfContainer();
    var container = new ContainerMemory(share);
    function watchContainer() {
      if (!share) return false;
      setInterval(() => container.look(), PERIOD).unref();
      return true;
    }
    module2.exports = { ContainerMemory, container, shareOfContainer, watchContainer };
  }
});

// repairs/collect-in-time/index.js
var require_collect_in_time = __commonJS({
  "repairs/collect-in-time/index.js"(exports2, module2) {
    "use strict";
    var { watchContainer } = require_container();
    module2.exports = {
      name: "collect-in-time",
      isOn: (env) => env.N8N_TUNED_COLLECT_IN_TIME === "true",
      bind: () => void watchContainer(),
      otherwise: "The container may be OOM-killed while its memory is full of garbage."
    };
  }
});

// lib/http.js
var require_http = __commonJS({
  "lib/http.js"(exports2, module2) {
    "use strict";
    var LINGER = 1e3;
    var SHORT_BODY = 65536;
    function serverOf({ server }) {
      if (typeof server?.listeners !== "function") throw new TypeError("n8n's ready hook has no HTTP server");
      return server;
    }
    function intercept(server, handle) {
      const listeners = server.listeners("request");
      const serve = (request, response) => listeners.forEach((listener) => listener.call(server, request, response));
      server.removeAllListeners("request");
      server.on("request", (request, response) => handle(request, response, () => serve(request, response)));
      return serve;
    }
    function whenGone({ socket }, response, callback) {
      const gone = () => {
        socket.off("close", gone);
        response.off("close", gone);
        callback();
      };
      response.once("close", gone);
      socket.once("close", gone);
    }
    function onStop(callback) {
      for (const signal of ["SIGTERM", "SIGINT"]) process.prependListener(signal, callback);
    }
    var isChunked = ({ headers }) => "transfer-encoding" in headers;
    var bodyLength = ({ headers }) => Number(headers["content-length"] ?? 0);
    var hasBody = (request) => isChunked(request) || bodyLength(request) > 0;
    var mustClose = (request) => isChunked(request) || bodyLength(request) > SHORT_BODY || "expect" in request.headers;
    function beginError(request, response, { code, message, hint, headers = {} }) {
      const text = JSON.stringify({ code, message, ...hint && { hint } });
      const { origin } = request.headers;
      response.writeHead(code, {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(text),
        ...headers,
        // Without these headers a script in a browser sees a failure without a status.
        ...origin && {
          "Access-Control-Allow-Origin": origin,
          "Access-Control-Expose-Headers": "Retry-After",
          Vary: "Origin"
        }
      });
      return text;
    }
    function answerError(request, response, error) {
      if (response.destroyed) return;
      const text = beginError(request, response, error);
      request.resume();
      response.end(text);
    }
    function refuse(request, response, { seconds, closes, message = "n8n is at its limit of requests." }) {
      if (response.destroyed) return;
      const headers = { "Retry-After": seconds, ...closes && { Connection: "close" } };
      const hint = `Try again in ${seconds} s.`;
      const text = beginError(request, response, { code: 503, message, hint, headers });
      request.resume();
      if (!closes || !hasBody(request) || request.method === "HEAD") return void response.end(text);
      response.write(text);
      const end = () => {
        clearTimeout(late);
        response.end();
      };
      const late = setTimeout(end, LINGER).unref();
      request.once("end", end);
    }
    module2.exports = { answerError, beginError, hasBody, intercept, mustClose, onStop, refuse, serverOf, whenGone };
  }
});

// admission/drain-connections/index.js
var require_drain_connections = __commonJS({
  "admission/drain-connections/index.js"(exports2, module2) {
    "use strict";
    var { statSync } = require("node:fs");
    var { onStop, serverOf, whenGone } = require_http();
    var DRAINING = "/tmp/draining";
    var LOOK = 100;
    function drainingSince(file, startedAt2) {
      let [lookedAt, isMarked] = [-Infinity, false];
      return () => {
        const now = performance.now();
        if (now - lookedAt < LOOK) return isMarked;
        [lookedAt, isMarked] = [now, statSync(file, { throwIfNoEntry: false })?.mtimeMs >= startedAt2];
        return isMarked;
      };
    }
    var startedAt = Date.now();
    function drainConnections2(server, file = DRAINING) {
      const isDraining = drainingSince(file, startedAt);
      const open = /* @__PURE__ */ new Set();
      let ending = false;
      const isLast = (response) => {
        if (!response.headersSent) response.setHeader("Connection", "close");
      };
      const onRequest = (request, response) => {
        if (ending || isDraining()) return isLast(response);
        open.add(response);
        whenGone(request, response, () => open.delete(response));
      };
      server.prependListener("request", onRequest);
      if (server.listenerCount("checkContinue") > 0) server.prependListener("checkContinue", onRequest);
      onStop(() => {
        ending = true;
        open.forEach(isLast);
      });
    }
    module2.exports = {
      name: "drain-connections",
      isOn: (env) => env.N8N_TUNED_DRAIN_CONNECTIONS === "true",
      bind: (context) => drainConnections2(serverOf(context)),
      otherwise: "Requests on connections that are open when n8n stops may fail.",
      drainConnections: drainConnections2
    };
  }
});

// repairs/find-lost-queue/index.js
var require_find_lost_queue = __commonJS({
  "repairs/find-lost-queue/index.js"(exports2, module2) {
    "use strict";
    var { setTimeout: sleep } = require("node:timers/promises");
    var { containerOf, requireN8nModules } = require_n8n_modules();
    var log = require_log();
    var MAY_RUN = ["active", "waiting", "delayed", "paused"];
    var SETTLED_AFTER = 3e4;
    var POOLS = /^(true|1)$/i;
    var isNewBefore = ({ In, LessThan }) => (time, ids) => ({ status: "new", createdAt: LessThan(new Date(time)), ...ids && { id: In(ids) } });
    var HERE = { pause: sleep, now: Date.now, warn: log.warn };
    var MOST_WAITING = 1e4;
    var AT_ONCE = 1e3;
    function watch(service, { isLeader, isNewBefore: isNewBefore2 }, { pause, now, warn } = HERE) {
      const queue = service.defaultQueue ?? service.queue;
      const crash = service.executionCrashService ?? service.executionRepository;
      if (typeof service.findJobsByStatus !== "function" || typeof crash?.markAsCrashed !== "function")
        throw new TypeError("there is no findJobsByStatus or markAsCrashed");
      let reconnections = 0;
      const look = async () => {
        const reconnection = ++reconnections;
        const before = now();
        await pause(SETTLED_AFTER);
        if (reconnection !== reconnections || !isLeader()) return;
        const { waiting } = await queue.getJobCounts();
        if (waiting > MOST_WAITING) throw new Error(`${waiting} jobs wait, too many to read them now`);
        const lost = await findExecutionsWithoutJob(service, (ids) => isNewBefore2(before, ids));
        for (const ids of splitIntoChunks(lost)) await crash.markAsCrashed(ids);
        if (lost.length > 0)
          warn(`Redis lost data; ${lost.length} executions had no job any more and are marked as crashed`);
      };
      for (const event of ["ready", "+node", "-node"])
        queue.client.on(
          event,
          () => void look().catch((error) => warn(`could not check whether Redis lost data: ${error.message}`))
        );
    }
    async function findExecutionsWithoutJob(service, where) {
      const idsOf = async (condition) => {
        const found2 = await service.executionRepository.find({ select: ["id"], where: condition });
        return found2.map(({ id }) => String(id));
      };
      const found = await idsOf(where());
      if (found.length === 0) return [];
      const jobs = await service.findJobsByStatus(MAY_RUN);
      const queued = new Set(jobs.map(({ data }) => String(data.executionId)));
      const lost = [];
      for (const ids of splitIntoChunks(found.filter((id) => !queued.has(id))))
        for (const id of await idsOf(where(ids))) lost.push(id);
      return lost;
    }
    var splitIntoChunks = (ids) => Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, i) => ids.slice(i * AT_ONCE, (i + 1) * AT_ONCE));
    module2.exports = {
      name: "find-lost-queue",
      isOn: (env) => env.N8N_TUNED_FIND_LOST_QUEUE === "true" && env.EXECUTIONS_MODE === "queue",
      bind(_context, env) {
        if (POOLS.test(env.N8N_WORKER_POOLS_ENABLED)) throw new Error("worker pools have queues that main does not see");
        const { require: requireOfN8n } = requireN8nModules();
        const container = containerOf(requireOfN8n);
        const instance = container.get(requireOfN8n("n8n-core").InstanceSettings);
        if (instance.instanceType !== "main") return;
        const { In, LessThan } = requireOfN8n("@n8n/typeorm");
        const service = container.get(requireOfN8n("./scaling/scaling.service").ScalingService);
        watch(service, { isLeader: () => instance.isLeader, isNewBefore: isNewBefore({ In, LessThan }) });
      },
      otherwise: "What waits in a Redis that loses its data is found after hours.",
      watch
    };
  }
});

// lib/paths.js
var require_paths = __commonJS({
  "lib/paths.js"(exports2, module2) {
    "use strict";
    var BEGINNING = { N8N_ENDPOINT_WEBHOOK: "webhook", N8N_ENDPOINT_FORM: "form", N8N_ENDPOINT_MCP: "mcp" };
    var RESUMING = { N8N_ENDPOINT_WEBHOOK_WAIT: "webhook-waiting", N8N_ENDPOINT_FORM_WAIT: "form-waiting" };
    var TESTING = {
      N8N_ENDPOINT_WEBHOOK_TEST: "webhook-test",
      N8N_ENDPOINT_FORM_TEST: "form-test",
      N8N_ENDPOINT_MCP_TEST: "mcp-test"
    };
    var ANSWERING = ["-slack", "-telegram"];
    var LONGEST_KEY = 256;
    var UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
    var pathOf = (url) => url.replace(/[?#].*$/s, "").replaceAll("\\", "/").replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/]*/i, "").toLowerCase();
    var prefixes = (paths, env) => Object.entries(paths).map(([name, path]) => `/${env[name] || path}/`.toLowerCase());
    function answeringPaths(env) {
      const waiting = env.N8N_ENDPOINT_WEBHOOK_WAIT || RESUMING.N8N_ENDPOINT_WEBHOOK_WAIT;
      const all = ANSWERING.map((suffix) => `/${waiting}${suffix}`.toLowerCase());
      return (path) => all.includes(path.replace(/\/$/, ""));
    }
    function productionPaths(env) {
      const answering = answeringPaths(env);
      const [beginning, resuming] = [prefixes(BEGINNING, env), prefixes(RESUMING, env)];
      return (url) => {
        const path = pathOf(url);
        const isOf = (all) => all.some((prefix) => path.startsWith(prefix));
        return isOf(resuming) || answering(path) ? "resumes" : isOf(beginning) ? "begins" : void 0;
      };
    }
    function webhookPaths(env) {
      const all = [BEGINNING, RESUMING, TESTING].flatMap((paths) => prefixes(paths, env));
      const answering = answeringPaths(env);
      return (url) => {
        const path = pathOf(url);
        return all.some((prefix) => path.startsWith(prefix)) || answering(path);
      };
    }
    function decoded(text) {
      try {
        return decodeURIComponent(text);
      } catch {
        return text;
      }
    }
    function pathKey(url, kind) {
      if (kind === "resumes") return "resumes";
      const path = trimTrailingSlashes(decoded(pathOf(url)));
      const [, endpoint, first] = path.split("/", 3);
      return UUID.test(first) ? `/${endpoint}/${first}` : path.slice(0, LONGEST_KEY);
    }
    function trimTrailingSlashes(path) {
      let end = path.length;
      while (path[end - 1] === "/") end--;
      return path.slice(0, end);
    }
    module2.exports = { decoded, pathKey, pathOf, productionPaths, webhookPaths };
  }
});

// admission/hide-metrics/index.js
var require_hide_metrics = __commonJS({
  "admission/hide-metrics/index.js"(exports2, module2) {
    "use strict";
    var { intercept, serverOf } = require_http();
    var { pathOf } = require_paths();
    var SAID_BY_PROXIES = ["x-forwarded-for", "x-real-ip", "forwarded"];
    var METRICS = /^\/metrics\/?$/;
    function hideMetrics2(server) {
      intercept(server, (request, response, serve) => {
        const isHidden = SAID_BY_PROXIES.some((name) => name in request.headers) && METRICS.test(pathOf(request.url));
        if (!isHidden) return serve();
        response.writeHead(404, { "Content-Length": 0 });
        response.end();
      });
    }
    module2.exports = {
      name: "hide-metrics",
      isOn: (env) => env.N8N_TUNED_PRIVATE_METRICS === "true",
      bind: (context) => hideMetrics2(serverOf(context)),
      otherwise: "/metrics is readable through every proxy in front of n8n."
    };
  }
});

// admission/ignore-upgrades/index.js
var require_ignore_upgrades = __commonJS({
  "admission/ignore-upgrades/index.js"(exports2, module2) {
    "use strict";
    var { ServerResponse } = require("node:http");
    var { beginError, hasBody, serverOf } = require_http();
    var { webhookPaths } = require_paths();
    var WEBSOCKET = /^\s*websocket\s*$/i;
    function upgradePredicate(env) {
      const isWebhook = webhookPaths(env);
      return ({ url, headers }) => WEBSOCKET.test(headers.upgrade) && !isWebhook(url);
    }
    function ignoreUpgrades2(server, env) {
      const isTaken = upgradePredicate(env);
      const { shouldUpgradeCallback: before } = server;
      if (typeof before === "function") {
        server.shouldUpgradeCallback = function(request) {
          return isTaken(request) && before.call(this, request);
        };
        return;
      }
      const listeners = server.listeners("upgrade");
      if (listeners.length === 0) return;
      server.removeAllListeners("upgrade");
      server.on("upgrade", (request, socket, head) => {
        if (isTaken(request)) return listeners.forEach((listener) => listener.call(server, request, socket, head));
        serveOnce(server, request, socket);
      });
    }
    function serveOnce(server, request, socket) {
      if (socket._httpMessage) return socket.destroy();
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      socket.on("error", () => socket.destroy());
      response.once("finish", () => socket.destroySoon());
      if (!hasBody(request)) return server.emit("request", request, response);
      const text = beginError(request, response, {
        code: 400,
        message: `n8n does not upgrade to ${request.headers.upgrade}.`,
        hint: "Send the request without the header Upgrade.",
        headers: { Connection: "close" }
      });
      response.end(text);
    }
    module2.exports = {
      name: "ignore-upgrades",
      isOn: (env) => env.N8N_TUNED_IGNORE_UPGRADES === "true",
      bind: (context, env) => ignoreUpgrades2(serverOf(context), env),
      otherwise: 'Requests with "Upgrade: h2c" are never answered.'
    };
  }
});

// repairs/keep-input/index.js
var require_keep_input = __commonJS({
  "repairs/keep-input/index.js"(exports2, module2) {
    "use strict";
    var { containerOf, executionStore, isAtLeast2, requireN8nModules } = require_n8n_modules();
    var UNENDED = ["new", "running", "waiting", "crashed"];
    function markCrashed(runner, store, isStalled, unended) {
      for (const [object, method] of [
        [runner, "processError"],
        [store, "updateExistingExecution"]
      ])
        if (typeof object?.[method] !== "function") throw new TypeError(`there is no ${method}`);
      const stalled = trackStalled(runner, isStalled);
      const update = store.updateExistingExecution.bind(store);
      store.updateExistingExecution = (id, execution, ...conditions) => {
        if (!stalled.has(id) || execution.data === void 0) return update(id, execution, ...conditions);
        const { data, workflowData, ...rest } = execution;
        const [given = {}] = conditions;
        const { requireNotCanceled: _, ...others } = given;
        const required = unended ? [{ ...others, requireStatus: unended }] : conditions;
        return update(id, { ...rest, status: "crashed" }, ...required);
      };
    }
    function trackStalled(runner, isStalled) {
      const stalled = /* @__PURE__ */ new Set();
      const end = runner.processError.bind(runner);
      runner.processError = async (error, startedAt, mode, id, ...rest) => {
        if (!isStalled(error)) return await end(error, startedAt, mode, id, ...rest);
        stalled.add(id);
        try {
          return await end(error, startedAt, mode, id, ...rest);
        } finally {
          stalled.delete(id);
        }
      };
      return stalled;
    }
    module2.exports = {
      name: "keep-input",
      isOn: (env) => env.N8N_TUNED_KEEP_INPUT === "true",
      bind() {
        const { require: requireOfN8n } = requireN8nModules();
        const { MaxStalledCountError } = requireOfN8n("./errors/max-stalled-count.error");
        const runner = containerOf(requireOfN8n).get(requireOfN8n("./workflow-runner").WorkflowRunner);
        const store = executionStore(requireOfN8n, "updateExistingExecution");
        const unended = isAtLeast2(7, requireOfN8n) ? requireOfN8n("@n8n/db").In(UNENDED) : void 0;
        markCrashed(runner, store, (error) => error instanceof MaxStalledCountError, unended);
      },
      otherwise: "An execution whose worker dies loses its input.",
      markCrashed
    };
  }
});

// admission/limit-requests/queue.js
var require_queue = __commonJS({
  "admission/limit-requests/queue.js"(exports2, module2) {
    "use strict";
    var FairQueue = class {
      /** All, in the order of arrival. */
      #all = /* @__PURE__ */ new Set();
      /** Those of each path, in the same order. */
      #byPath = /* @__PURE__ */ new Map();
      get size() {
        return this.#all.size;
      }
      [Symbol.iterator]() {
        return this.#all[Symbol.iterator]();
      }
      /** Whether visitors of a path wait. */
      has(path) {
        return this.#byPath.has(path);
      }
      add(visitor) {
        this.#all.add(visitor);
        const others = this.#byPath.get(visitor.path);
        if (others) others.add(visitor);
        else this.#byPath.set(visitor.path, /* @__PURE__ */ new Set([visitor]));
      }
      /** @returns whether it was in the queue */
      delete(visitor) {
        if (!this.#all.delete(visitor)) return false;
        const others = this.#byPath.get(visitor.path);
        others.delete(visitor);
        if (others.size === 0) this.#byPath.delete(visitor.path);
        return true;
      }
      /**
       * Who is served next: of those that come first on their path, the one whose path holds the fewest places; of several the first.
       * @param heldBy returns the number of places that a path holds
       * @param mayEnter whether a visitor may be served now
       */
      next(heldBy, mayEnter) {
        let [best, least] = [void 0, Infinity];
        for (const [path, visitors] of this.#byPath) {
          const [first] = visitors;
          if (!mayEnter(first)) continue;
          const held = heldBy(path);
          if (held < least || held === least && first.since < best.since) [best, least] = [first, held];
        }
        return best;
      }
      /** How many are served before one that comes now on this path. */
      ahead(path) {
        const own = this.#byPath.get(path)?.size ?? 0;
        let sum = own;
        for (const [other, visitors] of this.#byPath) if (other !== path) sum += Math.min(visitors.size, own + 1);
        return sum;
      }
      /** Who makes room for one that comes on this path: the last one of the path with most, if that has two more; else undefined. */
      lastOfLongest(path) {
        const longest = [...this.#byPath.values()].reduce((a, b) => b.size > a.size ? b : a, /* @__PURE__ */ new Set());
        const own = this.#byPath.get(path)?.size ?? 0;
        return longest.size > own + 1 ? [...longest].at(-1) : void 0;
      }
    };
    module2.exports = { FairQueue };
  }
});

// admission/limit-requests/admission.js
var require_admission = __commonJS({
  "admission/limit-requests/admission.js"(exports2, module2) {
    "use strict";
    var { AsyncResource } = require("node:async_hooks");
    var { FairQueue } = require_queue();
    var SPARE = 0.1;
    var [LEAST_SPARE, LEAST_KEPT] = [2, 1];
    var LOOK = 50;
    var LEAST_HISTORY = 1e3;
    var MOST_HISTORY = 1e4;
    var STANDING = 5e3;
    var FEW = 10;
    var STANDING_SHARE = 0.25;
    var PATIENCE = 6e5;
    var QUIET = 0.25;
    var MOST_QUIET = 50;
    var LEAST_RETRY = 1;
    var HEAP_RETRY = 5;
    var MOST_RETRY = 30;
    var NO_EXECUTIONS = { all: 0, answered: 0, held: 0, of: /* @__PURE__ */ new Map() };
    var Admission = class {
      admitted = 0;
      /** Admitted visitors that do not resume an execution. */
      begun = 0;
      /** Visitors that left with their answer. */
      served = 0;
      /** Shortest time for which an execution was under way; and the mean of those with little beside them, and their number. */
      #quickest = Infinity;
      #quiet = { mean: 0, count: 0 };
      refused = { line: 0, wait: 0, heap: 0, ending: 0 };
      /** Most executions and requests that the heap may hold (heap.js). */
      heap = { most: Infinity };
      /** The adaptive limit of requests under way while there is a line (concurrency.js, latency.js). */
      concurrency = { most: Infinity, onLine() {
      } };
      /** Called with the milliseconds that a visitor waited, when it is admitted. */
      onWait = () => {
      };
      /** Called with the number of requests or executions that no longer count, as they held all places for too long. */
      onStuck = () => {
      };
      #ending = false;
      /** Visitors under way, and their number by path. */
      #inside = /* @__PURE__ */ new Set();
      #openOf = /* @__PURE__ */ new Map();
      /** When the last one was refused. */
      #refusedAt = -Infinity;
      /** When refusals began without an admission below the limit since; undefined otherwise. */
      #refusingSince;
      /** Executions that began before this time no longer count. */
      #countedSince = -Infinity;
      /** Of { enter, refuse, resumes, path, since }. */
      #line = new FairQueue();
      /** When a crowd began: the line exceeded FEW, or a visitor was refused. Undefined without a crowd. */
      #crowdSince;
      /** How many left since then; see #expected. */
      #since = 0;
      #left = 0;
      #timer;
      /**
       * @param executions returns those of webhooks in this process: `all` that began at a time or later and go on, and `answered` of
       *   them, as far as n8n tells; `of`, both by the path that started them, where it is known; `held` in its memory, whenever they
       *   began, and those that go on elsewhere included
       */
      constructor({ most, line, longest, executions = () => NO_EXECUTIONS, now = () => performance.now() }) {
        Object.assign(this, { most, line, longest, executions, now });
      }
      get waiting() {
        return this.#line.size;
      }
      /** Visitors under way. */
      get open() {
        return this.#inside.size;
      }
      /** Open requests and executions that go on after their answer; or all executions, where there are more. */
      get underWay() {
        const { all, answered } = this.executions(this.#countedSince);
        return Math.max(this.open + answered, all);
      }
      /**
       * Requests that there are or would be under way, and those that wait. While the adaptive limit keeps places empty, they
       * count: there is more to do than this process can.
       */
      get demand() {
        const underWay = this.concurrency.most < this.most ? Math.max(this.most, this.underWay) : this.underWay;
        return underWay + this.waiting;
      }
      /** Requests or executions in memory, whichever are more. */
      get held() {
        return Math.max(this.open, this.executions(this.#countedSince).held);
      }
      /**
       * A visitor arrives.
       * @param enter called now or later, with a function that it must call when it leaves: whether it has its answer, whether
       *   that is the answer of an execution, and whether that tells how long executions take
       * @param refuse called, with the seconds after which it may try again and the reason, if it may not enter
       * @param resumes whether others may be under way until it has come
       * @param path with whose visitors it shares places; no path holds all
       * @returns a function that takes a visitor that went away out of the line
       */
      arrive(enter, refuse, { resumes = false, path = "" } = {}) {
        const visitor = { enter, refuse, resumes, path, since: this.now() };
        this.#losePatience(visitor.since);
        if (this.#ending) this.#refuse(visitor, "ending");
        else if (!resumes && this.#heapIsFull()) this.#refuse(visitor, "heap");
        else if (this.#mayEnter(visitor)) this.#admit(visitor);
        else this.#waitOrRefuse(visitor);
        return () => this.#line.delete(visitor);
      }
      /** Waiting visitors are served first. Visitors of one path keep their order, unless they resume an execution. */
      #mayEnter(visitor) {
        this.#advance();
        return (visitor.resumes || !this.#line.has(visitor.path)) && this.#hasRoom(visitor);
      }
      /** In a full line, a visitor replaces one whose path has more visitors waiting, if there is one. */
      #waitOrRefuse(visitor) {
        const isFull = this.#line.size >= this.line;
        const last = isFull ? this.#line.lastOfLongest(visitor.path) : void 0;
        if (isFull && !last) return this.#refuse(visitor, "line");
        if (this.#expected(visitor.path) > this.#allowed()) return this.#refuse(visitor, "wait");
        if (last) this.#refuse(last, "line");
        this.#join(visitor);
      }
      /** Refuses all waiting and later visitors, because the process is stopping. */
      end() {
        this.#ending = true;
        for (const visitor of this.#line) this.#refuse(visitor, "ending");
      }
      #losePatience(now) {
        if (!(now - this.#refusingSince >= PATIENCE)) return;
        this.#refusingSince = now;
        const before = this.executions(this.#countedSince).all;
        this.#countedSince = now - PATIENCE / 2;
        const stuck = before - this.executions(this.#countedSince).all;
        const old = [...this.#inside].filter(({ admittedAt }) => now - admittedAt >= PATIENCE);
        const count = Math.max(stuck, old.length);
        if (count > 0) this.onStuck(count);
        for (const { leave } of old) leave(false);
      }
      #heapIsFull() {
        return this.heap.most !== Infinity && this.held >= this.heap.most;
      }
      get #limit() {
        return Math.ceil(Math.min(this.most, this.concurrency.most));
      }
      /**
       * Whether there is a place for a visitor: below the limit, or one of those beyond it, which are kept for paths that hold few. All
       * that resume an execution share a path, and may hold as many as are kept, however many are left: others may wait for them.
       */
      #hasRoom({ resumes, path }) {
        const spare = Math.max(resumes ? LEAST_SPARE : LEAST_KEPT, Math.ceil(SPARE * this.#limit));
        const left = this.#limit + spare - this.underWay;
        if (left > spare) return true;
        return left > 0 && this.#heldBy(path) < (resumes ? Math.max(left, spare) : left);
      }
      /** Places that the visitors of a path hold, and executions that they started and that go on. */
      #heldBy(path) {
        const { all = 0, answered = 0 } = this.executions(this.#countedSince).of?.get(path) ?? {};
        return Math.max((this.#openOf.get(path) ?? 0) + answered, all);
      }
      #count(path, change) {
        const open = (this.#openOf.get(path) ?? 0) + change;
        if (open > 0) this.#openOf.set(path, open);
        else this.#openOf.delete(path);
      }
      #admit(visitor) {
        const endsRefusals = this.#refusingSince !== void 0 && !visitor.resumes && this.underWay < this.#limit;
        this.#line.delete(visitor);
        this.#inside.add(visitor);
        this.#count(visitor.path, 1);
        this.admitted++;
        if (!visitor.resumes) this.begun++;
        if (endsRefusals) this.#refusingSince = void 0;
        visitor.admittedAt = this.now();
        visitor.isQuiet = this.#isQuiet();
        this.onWait(visitor.admittedAt - visitor.since);
        visitor.leave = (isServed = true, isExecution = isServed, isTelling = isExecution) => {
          if (!this.#inside.has(visitor)) return;
          if (isTelling) this.#learn(this.now() - visitor.admittedAt, visitor.isQuiet && this.#isQuiet());
          this.#inside.delete(visitor);
          this.#count(visitor.path, -1);
          if (isServed) this.served++;
          if (isExecution || !isServed) this.concurrency.onLeft?.(visitor.admittedAt);
          this.#left++;
          this.#advance();
        };
        visitor.enter(visitor.leave);
      }
      #isQuiet() {
        return this.#line.size === 0 && this.concurrency.most >= this.most && this.underWay <= QUIET * this.most;
      }
      #learn(time, isQuiet) {
        this.#quickest = Math.min(this.#quickest, time);
        if (!isQuiet) return;
        const count = Math.min(MOST_QUIET, this.#quiet.count + 1);
        this.#quiet = { mean: this.#quiet.mean + (time - this.#quiet.mean) / count, count };
      }
      /** Milliseconds for which a visitor is under way while there is little to do; at least the shortest time, 0 before any. */
      get #unloaded() {
        return Math.max(Number.isFinite(this.#quickest) ? this.#quickest : 0, this.#quiet.mean);
      }
      /** Mean milliseconds since the admission of the visitors under way. */
      get #age() {
        let sum = 0;
        for (const { admittedAt } of this.#inside) sum += admittedAt;
        return this.open === 0 ? 0 : this.now() - sum / this.open;
      }
      #refuse(visitor, reason) {
        this.#line.delete(visitor);
        this.refused[reason]++;
        this.#refusedAt = this.now();
        this.#refusingSince ??= this.#refusedAt;
        if (this.#line.size > 0) this.#crowdSince ??= this.#refusedAt;
        const wait = this.#expected(visitor.path);
        const least = reason === "heap" ? HEAP_RETRY : LEAST_RETRY;
        const soonest = Math.max(least, Math.ceil((Number.isFinite(wait) ? wait : 0) / 1e3));
        const seconds = Math.floor(soonest + Math.random() * (least + 1));
        visitor.refuse(Math.min(MOST_RETRY, seconds), reason);
      }
      #join(visitor) {
        if (this.#line.size === 0) {
          this.#since = visitor.since;
          this.#left = 0;
        }
        visitor.enter = AsyncResource.bind(visitor.enter);
        this.#line.add(visitor);
        if (this.#line.size > FEW) this.#crowdSince ??= visitor.since;
        this.#timer ??= setInterval(() => this.#look(), LOOK).unref();
      }
      #advance() {
        while (this.#line.size > 0) {
          const isFull = this.#heapIsFull();
          const visitor = this.#line.next(
            (path) => this.#heldBy(path),
            ({ resumes }) => resumes || !isFull
          );
          if (!visitor || !this.#hasRoom(visitor)) return;
          this.#admit(visitor);
        }
      }
      #look() {
        this.#advance();
        for (const visitor of this.#line) {
          if (this.now() - visitor.since < this.#allowed()) break;
          this.#refuse(visitor, "wait");
        }
        if (this.#line.size > 0) {
          const { underWay, waiting, served } = this;
          const ended = this.admitted - this.open;
          const isCrowd = this.#crowdSince !== void 0;
          const [unloaded, age, refusedAt] = [this.#unloaded, this.#age, this.#refusedAt];
          return this.concurrency.onLine({ underWay, waiting, isCrowd, ended, served, unloaded, age, refusedAt });
        }
        clearInterval(this.#timer);
        this.#timer = void 0;
        this.#crowdSince = void 0;
      }
      /** Milliseconds for which a visitor may wait now. */
      #allowed() {
        const isStanding = this.now() - this.#crowdSince > STANDING;
        return isStanding ? this.longest * STANDING_SHARE : this.longest;
      }
      /** Milliseconds that the next visitor of a path would wait, at the rate at which visitors left of late; 0 if that is not known yet. */
      #expected(path) {
        if (this.#line.size === 0) return 0;
        const history = this.now() - this.#since;
        if (history < LEAST_HISTORY || this.#left === 0) return 0;
        const expected = (this.#line.ahead(path) + 1) * history / this.#left;
        if (history > MOST_HISTORY) {
          this.#since += history / 2;
          this.#left /= 2;
        }
        return expected;
      }
    };
    module2.exports = { Admission, NO_EXECUTIONS };
  }
});

// admission/limit-requests/concurrency.js
var require_concurrency = __commonJS({
  "admission/limit-requests/concurrency.js"(exports2, module2) {
    "use strict";
    var { eventLoopUtilization } = require("node:perf_hooks").performance;
    var LEAST = 5;
    var USEFUL = 1e3;
    var BUSY = 0.5;
    var KEPT = 0.9;
    var COUNTED = 0.95;
    var [LEAST_ENDED, LEAST_TIME, MOST_TIME, DOUBTED] = [40, 1e3, 1e4, 2];
    var SPARE_TIME = 5e3;
    var [FIRST_SETTLED, SETTLED] = [1e4, 6e4];
    var REST = 1e4;
    var CALM = 5e3;
    var ConcurrencyLimit = class {
      #most;
      #begun;
      #looked;
      /** Best rate since the line began, in requests per millisecond. */
      #bestRate = 0;
      /** The limit before the current try. */
      #before;
      /** Whether the rate of that one was too low at the first look. */
      #isDoubtful = false;
      #settledUntil = 0;
      #settles = FIRST_SETTLED;
      #lineAt = -Infinity;
      /**
       * @param busy returns the share of the time for which the thread worked since it was asked before. Times are in milliseconds.
       */
      constructor({ full, busy = threadBusy(), now = () => performance.now() }) {
        Object.assign(this, { full, busy, now });
        this.#most = full;
      }
      /** Current limit of requests under way. */
      get most() {
        return this.now() - this.#lineAt > REST ? this.full : this.#most;
      }
      /**
       * Called while there is a line, with the numbers of requests under way and waiting.
       * @param ended how many have left so far; `served`: with their answer
       * @param unloaded the time for which one is under way while there is little to do, in milliseconds
       * @param refusedAt when somebody was refused the last time
       */
      onLine({ underWay, waiting, ended, served, unloaded, refusedAt }) {
        const now = this.now();
        const isCalm = this.#most < this.full && underWay + waiting <= this.full && now - refusedAt > CALM;
        if (now - this.#lineAt > REST) this.#reset(now);
        else if (isCalm) this.#allowAll();
        this.#lineAt = now;
        this.#allowAllIfIdle(now);
        if (underWay > this.#most) return;
        this.#begun ??= { at: now, ended, served };
        const [time, done] = [now - this.#begun.at, ended - this.#begun.ended];
        const looks = this.#isDoubtful ? DOUBTED : 1;
        const isKnown = done >= looks * Math.max(LEAST_ENDED, underWay) && time >= LEAST_TIME;
        if (isKnown || time >= looks * MOST_TIME) this.#judge((served - this.#begun.served) / time, unloaded, now);
      }
      #allowAllIfIdle(now) {
        if (now - this.#looked < SPARE_TIME) return;
        this.#looked = now;
        if (this.busy() >= BUSY) return;
        if (this.#most < this.full) this.#settledUntil = now + SETTLED;
        this.#allowAll();
      }
      #judge(rate, unloaded, now) {
        const before = this.#before;
        const isWorse = before !== void 0 && rate < KEPT * this.#bestRate;
        const wasLowered = this.#most < before;
        if (isWorse && wasLowered && !this.#isDoubtful) {
          this.#isDoubtful = true;
          return;
        }
        this.#forgetTry();
        if (isWorse) {
          this.#most = before;
          this.#settledUntil = now + (wasLowered ? this.#settles : SETTLED);
          if (wasLowered) this.#settles = Math.min(SETTLED, 2 * this.#settles);
          return;
        }
        this.#bestRate = this.#most === this.full ? rate : Math.max(this.#bestRate, COUNTED * rate);
        const useful = Math.ceil(rate * (USEFUL + unloaded));
        const next = Math.min(this.full, Math.max(LEAST, Math.ceil(this.#most / 2), useful));
        if (now < this.#settledUntil || next === this.#most) return;
        this.#before = this.#most;
        this.#most = next;
      }
      #allowAll() {
        this.#most = this.full;
        this.#forgetTry();
      }
      #forgetTry() {
        this.#begun = this.#before = void 0;
        this.#isDoubtful = false;
      }
      #reset(now) {
        this.#allowAll();
        this.#settledUntil = 0;
        this.#settles = FIRST_SETTLED;
        this.#looked = now;
        this.busy();
      }
    };
    function threadBusy() {
      let last = eventLoopUtilization();
      return () => {
        const now = eventLoopUtilization();
        const { utilization } = eventLoopUtilization(now, last);
        last = now;
        return utilization;
      };
    }
    module2.exports = { ConcurrencyLimit };
  }
});

// admission/limit-requests/executions.js
var require_executions = __commonJS({
  "admission/limit-requests/executions.js"(exports2, module2) {
    "use strict";
    var { AsyncLocalStorage } = require("node:async_hooks");
    var { containerOf, requireN8nModules } = require_n8n_modules();
    var COUNT_PAUSE = 19;
    var LONGEST_PAUSE = 250;
    var servedPath = new AsyncLocalStorage();
    function executionsHere(elsewhere) {
      const modules = requireN8nModules();
      const { ActiveExecutions } = modules.require(modules.path);
      const active = containerOf(modules.require).get(ActiveExecutions);
      const pathOf = elsewhere ? () => void 0 : recordPaths(active);
      countIn(active, elsewhere, -Infinity, pathOf);
      return {
        count: sparingly((since) => countIn(active, elsewhere, since, pathOf)),
        serve: elsewhere ? (_path, go) => go() : (path, go) => servedPath.run(path, go)
      };
    }
    function recordPaths(active) {
      const paths = /* @__PURE__ */ new WeakMap();
      const add = active.add.bind(active);
      active.add = (data, ...others) => {
        const path = servedPath.getStore();
        if (path !== void 0) paths.set(data, path);
        return add(data, ...others);
      };
      return (data) => paths.get(data);
    }
    function countIn({ activeExecutions, responseModes }, elsewhere, since, pathOf = () => void 0) {
      let [held, all, answered] = [0, 0, 0];
      const of = /* @__PURE__ */ new Map();
      for (const [id, { status, executionData, startedAt }] of Object.entries(activeExecutions)) {
        if (status === "waiting" || executionData?.executionMode !== "webhook") continue;
        held++;
        if (startedAt - performance.timeOrigin < since) continue;
        all++;
        const isAnswered = responseModes?.get(id) === "onReceived";
        if (isAnswered) answered++;
        const path = pathOf(executionData);
        if (path === void 0) continue;
        const counts = of.get(path) ?? { all: 0, answered: 0 };
        of.set(path, { all: counts.all + 1, answered: counts.answered + Number(isAnswered) });
      }
      return elsewhere ? { all: 0, answered: 0, held, of: /* @__PURE__ */ new Map() } : { all, answered, held, of };
    }
    function sparingly(ask) {
      let [asked, answer, until] = [void 0, void 0, 0];
      return (question) => {
        const from = performance.now();
        if (from < until && question === asked) return answer;
        asked = question;
        answer = ask(question);
        const to = performance.now();
        until = to + Math.min(LONGEST_PAUSE, COUNT_PAUSE * (to - from));
        return answer;
      };
    }
    module2.exports = { countIn, executionsHere, sparingly };
  }
});

// admission/limit-requests/body.js
var require_body = __commonJS({
  "admission/limit-requests/body.js"(exports2, module2) {
    "use strict";
    var { beginError, hasBody } = require_http();
    var SLOWEST = 500;
    function awaitBody(request, response, seconds) {
      if (!(seconds > 0) || !hasBody(request)) return;
      let received = request.socket.bytesRead;
      const look = () => {
        if (request.complete || request.destroyed || response.writableEnded) return;
        const before = received;
        received = request.socket.bytesRead;
        if (received - before >= SLOWEST * seconds || isHeldBack(request)) return next();
        answerLate(request, response, seconds);
      };
      let timer;
      const next = () => {
        timer = setTimeout(() => setImmediate(look), 1e3 * seconds).unref();
      };
      response.once("close", () => clearTimeout(timer));
      next();
    }
    var isHeldBack = (request) => request.readableLength >= request.readableHighWaterMark;
    function awaitReader(response, seconds) {
      if (!(seconds > 0)) return;
      response.once("prefinish", () => {
        const { socket } = response;
        if (socket?.writableLength > 0) socket.setTimeout(1e3 * seconds);
      });
    }
    function answerLate(request, response, seconds) {
      const { socket } = request;
      if (response.headersSent) return socket.destroy();
      const text = beginError(request, response, {
        code: 408,
        message: "The body of the request did not arrive.",
        hint: `Send at least ${SLOWEST} bytes a second; n8n waits ${seconds} s for the next ones.`,
        headers: { Connection: "close" }
      });
      response.once("finish", () => socket.destroySoon());
      response.end(text);
    }
    module2.exports = { awaitBody, awaitReader };
  }
});

// admission/limit-requests/guard.js
var require_guard = __commonJS({
  "admission/limit-requests/guard.js"(exports2, module2) {
    "use strict";
    var { pathKey, productionPaths } = require_paths();
    var { intercept, mustClose, onStop, refuse, whenGone } = require_http();
    var { awaitBody, awaitReader } = require_body();
    var REFUSALS_PER_SECOND = 500;
    var LATEST_REFUSAL = 90;
    var LATEST_OF_IMPATIENT = 500;
    var LEAST_ABANDONED = 5e3;
    function guard(server, admission, { elsewhere = false, bodySeconds = 0, serve: serveOf = (_path, go) => go() } = {}) {
      const closing = /* @__PURE__ */ new WeakSet();
      const retryAt = /* @__PURE__ */ new WeakMap();
      const { open, inTurn } = trackConnections();
      const paced = pace(REFUSALS_PER_SECOND, LATEST_OF_IMPATIENT);
      const kindOf = productionPaths(process.env);
      const arrive = (request, response, go) => {
        const kind = kindOf(request.url);
        const isAlone = open(request, response);
        if (closing.has(request.socket)) return;
        if (!kind || request.method === "OPTIONS") return go();
        inTurn(request, () => {
          if (!closing.has(request.socket)) admit(request, response, { kind, isAlone, go });
        });
      };
      const admit = (request, response, { kind, isAlone, go }) => {
        const path = pathKey(request.url, kind);
        let [leave, leaveLine, isRefused] = [void 0, () => {
        }, false];
        let admittedAt;
        const onGone = () => {
          leaveLine();
          if (!leave) return;
          const isServed = response.writableFinished;
          const { statusCode } = response;
          const isExecution = isServed && (statusCode < 400 || statusCode >= 500);
          if (!elsewhere || response.writableEnded) leave(isServed, isExecution, isExecution && statusCode < 400);
          else whenDone(response, Math.max(LEAST_ABANDONED, performance.now() - admittedAt), () => leave(false));
        };
        leaveLine = admission.arrive(
          (done) => {
            leave = done;
            admittedAt = performance.now();
            if (request.method === "GET") onEventStream(response, () => done(true, false));
            awaitBody(request, response, bodySeconds);
            awaitReader(response, bodySeconds);
            try {
              serveOf(path, go);
            } catch (error) {
              done(false);
              process.nextTick(() => {
                throw error;
              });
            }
          },
          (seconds, reason) => {
            isRefused = true;
            const now = performance.now();
            const before = retryAt.get(request.socket);
            const closes = mustClose(request) || elsewhere && before <= now && isAlone();
            if (closes) closing.add(request.socket);
            const answer = () => refuse(request, response, { seconds, closes });
            const isImpatient = now < before && !isOfProxy(request);
            retryAt.set(request.socket, now + 1e3 * seconds);
            if (reason === "heap" || reason === "ending") answer();
            else paced(answer, isImpatient ? LATEST_OF_IMPATIENT : LATEST_REFUSAL);
          },
          { resumes: kind === "resumes", path }
        );
        if (!isRefused) whenGone(request, response, onGone);
      };
      server.on("connection", (socket) => socket.setMaxListeners(0));
      const serve = intercept(server, arrive);
      server.on(
        "checkContinue",
        (request, response) => arrive(request, response, () => {
          response.writeContinue();
          serve(request, response);
        })
      );
      onStop(() => admission.end());
    }
    function pace(perSecond, latest, now = () => performance.now()) {
      const most = perSecond * latest / 1e3;
      let next = -Infinity;
      let waiting = 0;
      return (call, latestOfCall = latest) => {
        const at = now();
        next = Math.min(Math.max(next, at - 1e3) + 1e3 / perSecond, at + latest);
        if (next <= at || waiting >= most) return call();
        waiting++;
        setTimeout(
          () => {
            waiting--;
            call();
          },
          Math.min(next - at, latestOfCall)
        );
      };
    }
    function trackConnections() {
      const connections = /* @__PURE__ */ new WeakMap();
      const open = ({ socket }, response) => {
        const connection = connections.get(socket) ?? { count: 0, waiting: [] };
        connections.set(socket, connection);
        connection.count++;
        response.once("close", () => {
          connection.count--;
          if (socket.destroyed) connection.waiting = [];
          connection.waiting.shift()?.();
        });
        return () => connection.count === 1;
      };
      const inTurn = ({ socket }, begin) => {
        const { count, waiting } = connections.get(socket);
        if (count === 1) return begin();
        waiting.push(() => {
          socket.setTimeout(0);
          begin();
        });
      };
      return { open, inTurn };
    }
    function whenDone(response, latest, callback) {
      const { end } = response;
      const timer = setTimeout(callback, latest).unref();
      response.end = function(...args) {
        clearTimeout(timer);
        callback();
        return end.apply(this, args);
      };
    }
    function onEventStream(response, done) {
      const { writeHead } = response;
      response.writeHead = function(...args) {
        const result = writeHead.apply(this, args);
        const given = Object.entries(args.at(-1) ?? {}).find(([name]) => /^content-type$/i.test(name))?.[1];
        if (/^text\/event-stream/i.test(String(given ?? this.getHeader("content-type") ?? ""))) done();
        return result;
      };
    }
    var isOfProxy = ({ headers }) => "x-forwarded-for" in headers || "forwarded" in headers || "via" in headers;
    module2.exports = { guard, pace };
  }
});

// admission/limit-requests/heap.js
var require_heap = __commonJS({
  "admission/limit-requests/heap.js"(exports2, module2) {
    "use strict";
    var { PerformanceObserver, constants } = require("node:perf_hooks");
    var { getHeapSpaceStatistics, getHeapStatistics } = require("node:v8");
    var { NODE, collect } = require_garbage();
    var FULL = 0.8;
    var EASED = 0.65;
    var CONTAINER_MARGIN = 0.1;
    var SHRINK = 0.9;
    var GROW = 1.1;
    var PERIOD = 1e4;
    var PATIENCE = 6e5;
    var [YOUNG_24, YOUNG] = [192, 48];
    var HeapLimit = class {
      /** Most executions that may be held. */
      most = Infinity;
      /** How many were held when the heap was full. */
      #full = 0;
      #hasGivenUp = false;
      #admitted = 0;
      #progressAt = 0;
      /**
       * @param held returns the number of executions that are held now
       * @param admitted returns how many were ever admitted
       * @param least of executions may always be held: what fills the heap may be something else
       */
      constructor({ held, admitted, least = 1, now = () => performance.now() }) {
        Object.assign(this, { held, admitted, least, now });
      }
      /**
       * A collection has ended, after which this share of the old generation is in use.
       * @param ofContainer share of the container that garbage does not take
       */
      onCollected(ofHeap, ofContainer = 0) {
        const share = Math.max(ofHeap, ofContainer - CONTAINER_MARGIN);
        if (share >= FULL) return this.#lower();
        this.#hasGivenUp = false;
        const grown = Math.ceil(this.most * GROW);
        this.most = share < EASED || grown > 2 * Math.max(this.least, this.#full, this.held()) ? Infinity : grown;
      }
      #lower() {
        if (this.#hasGivenUp) return;
        const [now, admitted] = [this.now(), this.admitted()];
        if (this.most === Infinity || admitted > this.#admitted) this.#progressAt = now;
        this.#admitted = admitted;
        if (now - this.#progressAt >= PATIENCE) {
          this.#hasGivenUp = true;
          this.most = Infinity;
          return;
        }
        this.#full = this.held();
        this.most = Math.min(this.most, Math.max(this.least, Math.floor(SHRINK * this.#full)));
      }
    };
    function watchHeap(limit, container = { lived: 0 }, period = PERIOD) {
      const size = oldGenerationLimit();
      let [ofHeap, collected] = [0, false];
      let timer;
      const apply = () => {
        limit.onCollected(ofHeap, container.lived);
        if (limit.most === Infinity) timer = clearInterval(timer);
        else timer ??= setInterval(again, period).unref();
      };
      const look = () => {
        collected = true;
        ofHeap = oldGenerationUsed() / size;
        apply();
      };
      const again = () => {
        if (!collected) collect();
        collected = false;
      };
      new PerformanceObserver((list) => {
        if (list.getEntries().some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) look();
      }).observe({ entryTypes: ["gc"] });
      container.onLived = apply;
    }
    var oldGenerationUsed = () => getHeapSpaceStatistics().filter(({ space_name: name }) => !name.startsWith("new_")).reduce((sum, { space_used_size: used }) => sum + used, 0);
    function oldGenerationLimit() {
      const options = [process.env.NODE_OPTIONS, ...process.execArgv].join(" ");
      const given = [...options.matchAll(/--max[-_]old[-_]space[-_]size=(\d+)/g)].at(-1);
      if (given) return Number(given[1]) * 2 ** 20;
      const young = NODE >= 24 ? YOUNG_24 : YOUNG;
      return getHeapStatistics().heap_size_limit - young * 2 ** 20;
    }
    module2.exports = { HeapLimit, watchHeap };
  }
});

// admission/limit-requests/inherent.js
var require_inherent = __commonJS({
  "admission/limit-requests/inherent.js"(exports2, module2) {
    "use strict";
    var FAR = 1.25;
    var [MOSTLY, HARDLY] = [0.9, 0.65];
    var [FIRST_HOLDS, MOST_HOLDS] = [6e4, 3e5];
    var [FIRST_PAUSE, MOST_PAUSE] = [1e4, 6e4];
    var Inherent = class {
      /** In milliseconds; 0 while nothing is known. */
      time = 0;
      #until = -Infinity;
      #holds = FIRST_HOLDS;
      /** The time of a request with the least limit. */
      #base;
      #triedUntil = -Infinity;
      #pause = FIRST_PAUSE;
      /** @param least the least limit */
      constructor(least) {
        this.least = least;
      }
      /** Records the mean time under way, in milliseconds, at a limit. */
      measured(limit, time, now) {
        if (this.time > 0 && now >= this.#until) this.#forget();
        if (limit <= this.least) this.#base = time;
        else if (this.#base !== void 0 && limit >= FAR * this.least) this.#compare(limit, time, now);
      }
      #compare(limit, time, now) {
        const share = (time * this.least - this.#base * limit) / (this.least - limit) / this.#base;
        if (share < HARDLY && this.time > 0) {
          this.#forget();
          this.#holds = FIRST_HOLDS;
          this.#triedUntil = now + this.#pause;
        } else if (share >= MOSTLY && this.time === 0) {
          this.time = this.#base;
          this.#until = now + this.#holds;
          this.#holds = Math.min(MOST_HOLDS, 2 * this.#holds);
        }
      }
      #forget() {
        this.time = 0;
        this.#base = void 0;
      }
      /** Whether a higher limit should be tried now. It is then not asked for again for a while. */
      wantsTry(now) {
        if (now < this.#triedUntil) return false;
        this.#triedUntil = now + this.#pause;
        this.#pause = Math.min(MOST_PAUSE, 2 * this.#pause);
        return true;
      }
    };
    module2.exports = { Inherent };
  }
});

// admission/limit-requests/latency.js
var require_latency = __commonJS({
  "admission/limit-requests/latency.js"(exports2, module2) {
    "use strict";
    var { Inherent } = require_inherent();
    var [TIMES, USEFUL] = [1.25, 500];
    var LEAST = 3;
    var LEAST_SHARE = 0.25;
    var [FEWEST_LEFT, ENOUGH_LEFT] = [4, 10];
    var MOST_LEFT = 100;
    var TRY = 1.5;
    var REST = 1e4;
    var CALM = 5e3;
    var LatencyLimit = class {
      #most;
      /** Times of requests that count, and have left; and how many are still to leave before. */
      #left = [];
      #early = 0;
      #changedAt = -Infinity;
      /** Whether the limit follows from times, and not from ages. */
      #isKnown = false;
      #lineAt = -Infinity;
      #inherent;
      /** Times are in milliseconds. */
      constructor({ full, now = () => performance.now() }) {
        Object.assign(this, { full, now, least: Math.max(LEAST, Math.ceil(LEAST_SHARE * full)) });
        this.#most = full;
        this.#inherent = new Inherent(this.least);
      }
      /** Current limit of requests under way. */
      get most() {
        return this.now() - this.#lineAt > REST ? this.full : this.#most;
      }
      /** A request leaves that was admitted then, served or not. */
      onLeft(admittedAt) {
        if (admittedAt < this.#changedAt) return;
        if (this.#early > 0) return void this.#early--;
        this.#left.push(this.now() - admittedAt);
        if (this.#left.length > MOST_LEFT) this.#left.shift();
      }
      /**
       * Called while there is a line, with the numbers of requests under way and waiting.
       * @param isCrowd whether more came than a few clients that each wait for their answer, spread unevenly; else nothing is lowered
       * @param unloaded the time for which one is under way while there is little to do, in milliseconds
       * @param age for how long those have been under way that are, in the mean
       * @param refusedAt when somebody was refused the last time
       */
      onLine({ underWay, waiting, isCrowd, unloaded, age, refusedAt }) {
        const now = this.now();
        const isCalm = underWay + waiting <= this.full && now - refusedAt > CALM;
        if (now - this.#lineAt > REST || isCalm && this.#most < this.full) this.#reset(now);
        this.#lineAt = now;
        if (!isCrowd) return;
        const enough = Math.min(ENOUGH_LEFT, Math.max(FEWEST_LEFT, this.#most));
        if (this.#left.length >= enough) this.#judge(mean(this.#left), unloaded, now);
        else if (!this.#isKnown) this.#foresee(age, usefulTime(unloaded), now);
      }
      #judge(time, unloaded, now) {
        this.#isKnown = true;
        this.#inherent.measured(this.#most, time, now);
        const useful = usefulTime(Math.max(unloaded, this.#inherent.time));
        const most = this.#most * Math.min(2, useful / time);
        const isStuck = most < this.least && this.#most <= this.least;
        this.#change(isStuck && this.#inherent.wantsTry(now) ? TRY * this.#most : most, now);
      }
      /** Who is under way is so for about as long again: that answers take too long is known before they are sent. */
      #foresee(age, useful, now) {
        const most = Math.max(this.least, this.full * useful / (2 * age));
        if (most < this.#most) this.#change(most, now);
      }
      #change(to, now) {
        this.#most = Math.min(this.full, Math.max(this.least, Math.ceil(to)));
        this.#measure(now);
      }
      #reset(now) {
        this.#most = this.full;
        this.#isKnown = false;
        this.#inherent = new Inherent(this.least);
        this.#measure(now);
      }
      #measure(now) {
        this.#left = [];
        this.#early = this.#most < this.full ? this.#most : 0;
        this.#changedAt = now;
      }
    };
    var usefulTime = (unloaded) => USEFUL + TIMES * unloaded;
    var mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    module2.exports = { LatencyLimit };
  }
});

// admission/limit-requests/metrics.js
var require_metrics = __commonJS({
  "admission/limit-requests/metrics.js"(exports2, module2) {
    "use strict";
    var { requireN8nModules } = require_n8n_modules();
    var { metricsPrefix } = require_publish();
    var GAUGES = {
      requests_under_way: ["Requests to production paths that are under way", (admission) => admission.underWay],
      requests_waiting: ["Requests that wait in the line", (admission) => admission.waiting],
      requests_demand: [
        "Requests under way and waiting; while concurrency_limit is lower, as if all of requests_limit were under way",
        (admission) => admission.demand
      ],
      requests_limit: ["Requests that may be under way at once", (admission) => admission.most],
      executions_held: [
        "Executions of webhooks, or requests, in the memory of this process",
        (admission) => admission.held
      ],
      concurrency_limit: [
        "Requests that may be under way now: in an overload fewer than requests_limit",
        (admission) => Math.min(admission.most, admission.concurrency.most)
      ]
    };
    var WAITS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
    function publishAdmission(admission, env) {
      if (env.N8N_METRICS !== "true") return;
      const { Counter, Gauge, Histogram } = requireN8nModules().require("prom-client");
      const nameOf = (end) => `${metricsPrefix(env)}admission_${end}`;
      for (const [end, [help2, read]] of Object.entries(GAUGES))
        new Gauge({
          name: nameOf(end),
          help: help2,
          collect() {
            this.set(read(admission));
          }
        });
      new Counter({
        name: nameOf("admitted_total"),
        help: "Requests that were admitted",
        collect() {
          this.reset();
          this.inc(admission.admitted);
        }
      });
      new Counter({
        name: nameOf("refused_total"),
        help: "Requests answered with 503",
        labelNames: ["reason"],
        collect() {
          this.reset();
          for (const [reason, count] of Object.entries(admission.refused)) this.inc({ reason }, count);
        }
      });
      const help = "Time that admitted requests waited in the line";
      const wait = new Histogram({ name: nameOf("wait_seconds"), help, buckets: WAITS });
      admission.onWait = (milliseconds) => wait.observe(milliseconds / 1e3);
    }
    module2.exports = { publishAdmission };
  }
});

// admission/limit-requests/index.js
var require_limit_requests = __commonJS({
  "admission/limit-requests/index.js"(exports2, module2) {
    "use strict";
    var { Admission, NO_EXECUTIONS } = require_admission();
    var { ConcurrencyLimit } = require_concurrency();
    var { executionsHere } = require_executions();
    var { guard } = require_guard();
    var { HeapLimit, watchHeap } = require_heap();
    var { LatencyLimit } = require_latency();
    var { publishAdmission } = require_metrics();
    var { container } = require_container();
    var { serverOf } = require_http();
    var log = require_log();
    var LEAST_HELD = 0.1;
    function createAdmission(env, executions) {
      const most = Number(env.N8N_TUNED_MAX_REQUESTS);
      const line = Number(env.N8N_TUNED_MAX_WAITING);
      const longest = 1e3 * Number(env.N8N_TUNED_MAX_WAIT_SECONDS);
      const admission = new Admission({ most, line, longest, executions });
      admission.heap = new HeapLimit({
        held: () => admission.held,
        admitted: () => admission.begun,
        least: Math.max(1, Math.floor(LEAST_HELD * most))
      });
      watchHeap(admission.heap, container);
      if (env.N8N_TUNED_ADAPTIVE_LIMIT === "true")
        admission.concurrency = new (isQueue(env) ? LatencyLimit : ConcurrencyLimit)({ full: most });
      admission.onStuck = (count) => log.warn(`admission: ${count} requests held all places for 10 minutes; they no longer count`);
      return admission;
    }
    var isQueue = (env) => env.EXECUTIONS_MODE === "queue";
    function trackExecutionsIfPossible(env) {
      try {
        return executionsHere(isQueue(env));
      } catch (error) {
        log.warn(`admission: executions that go on after their answer are not counted: ${error.message}`);
        return { count: () => NO_EXECUTIONS, serve: (_path, go) => go() };
      }
    }
    module2.exports = {
      name: "limit-requests",
      isOn: (env) => Boolean(env.N8N_TUNED_MAX_REQUESTS),
      bind(context, env) {
        const server = serverOf(context);
        const { count, serve } = trackExecutionsIfPossible(env);
        const admission = createAdmission(env, count);
        guard(server, admission, { elsewhere: isQueue(env), bodySeconds: Number(env.N8N_TUNED_BODY_SECONDS ?? 0), serve });
        try {
          publishAdmission(admission, env);
        } catch (error) {
          log.warn(`admission: not in the metrics: ${error.message}`);
        }
      },
      otherwise: "n8n takes every request, and may run out of memory in an overload."
    };
  }
});

// lib/again.js
var require_again = __commonJS({
  "lib/again.js"(exports2, module2) {
    "use strict";
    var { setTimeout: sleep } = require("node:timers/promises");
    var log = require_log();
    var FIRST_PAUSE = 250;
    var LONGEST_PAUSE = 5e3;
    var PASSING_CLASS = /^((08|40|53|57|58)...|25006|25P03|55P03)$/;
    var PASSING_CODE = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|SQLITE_(BUSY|FULL|IOERR|LOCKED))/;
    var PASSING_MESSAGE = /connection (terminated|timeout|error|is closed|ended|recovery)|timeout exceeded|read timeout|not connected|after calling end|not queryable/i;
    var HERE = { pause: sleep, now: () => performance.now(), warn: log.warn };
    async function again(ask, longest, { pause, now }, onFirst = () => {
    }) {
      const until = now() + longest;
      for (let wait = FIRST_PAUSE; ; wait = Math.min(LONGEST_PAUSE, 2 * wait)) {
        try {
          return await ask();
        } catch (error) {
          if (!isPassing(error) || now() + wait > until) throw error;
          if (wait === FIRST_PAUSE) onFirst(error);
        }
        await pause(wait);
      }
    }
    function isPassing(error) {
      const codes = [error?.code, error?.driverError?.code].map(String);
      if (codes.some((code) => PASSING_CLASS.test(code) || PASSING_CODE.test(code))) return true;
      return PASSING_MESSAGE.test(String(error?.message));
    }
    module2.exports = { HERE, again, isPassing };
  }
});

// repairs/read-again/index.js
var require_read_again = __commonJS({
  "repairs/read-again/index.js"(exports2, module2) {
    "use strict";
    var { AsyncLocalStorage } = require("node:async_hooks");
    var { HERE, again, isPassing } = require_again();
    var { containerOf, executionStore, requireN8nModules } = require_n8n_modules();
    var READ = "findSingleExecution";
    function readAgain2(store, longest, here = HERE) {
      if (typeof store?.[READ] !== "function") throw new TypeError(`there is no ${READ}`);
      const read = store[READ].bind(store);
      store[READ] = (...args) => again(() => read(...args), longest, here);
    }
    function settleAgain(runner, store, longest, here = HERE) {
      const { activeExecutions: active } = runner;
      if (![runner.enqueueExecution, runner.processError, store?.[READ], active?.has, active?.finalizeExecution].every(
        (one) => typeof one === "function"
      ))
        throw new TypeError(`there is no enqueueExecution, processError, ${READ} or activeExecutions`);
      const waitsFor = new AsyncLocalStorage();
      const enqueue = runner.enqueueExecution.bind(runner);
      runner.enqueueExecution = (id, ...rest) => waitsFor.run(id, () => enqueue(id, ...rest));
      const settle = runner.processError.bind(runner);
      const read = store[READ].bind(store);
      runner.processError = async (...args) => {
        const [, , , executionId] = args;
        await again(() => read(executionId, { includeData: false }), longest, here).catch(() => {
        });
        return waitsFor.exit(() => settle(...args));
      };
      store[READ] = async (...args) => {
        const [id, options] = args;
        if (!options?.includeData || waitsFor.getStore() !== id || !active.has(id)) return read(...args);
        return again(() => read(...args), longest, here).catch((error) => {
          if (isPassing(error))
            active.finalizeExecution(id, resumesParent(active, id) ? void 0 : unreadResult(id, error));
          throw error;
        });
      };
    }
    function resumesParent(active, id) {
      const parent = active.activeExecutions?.[id]?.executionData?.executionData?.parentExecution;
      return parent !== void 0 && parent.shouldResume !== false;
    }
    function unreadResult(id, cause) {
      const error = new Error(`The end of execution ${id} could not be read: ${cause.message}`);
      const now = /* @__PURE__ */ new Date();
      return {
        data: { resultData: { error, runData: {} } },
        finished: false,
        mode: "webhook",
        startedAt: now,
        stoppedAt: now,
        status: "error"
      };
    }
    var hook = (isWorker) => ({
      name: "read-again",
      isOn: (env) => Number(env.N8N_TUNED_SAVE_AGAIN_SECONDS ?? 0) > 0 && env.EXECUTIONS_MODE === "queue",
      bind(_context, env) {
        const longest = 1e3 * Number(env.N8N_TUNED_SAVE_AGAIN_SECONDS);
        const { require: requireOfN8n } = requireN8nModules();
        const store = executionStore(requireOfN8n, READ);
        if (isWorker) return readAgain2(store, longest);
        settleAgain(containerOf(requireOfN8n).get(requireOfN8n("./workflow-runner").WorkflowRunner), store, longest);
      },
      otherwise: "An execution whose job fails in an outage of the database stays new."
    });
    module2.exports = { onAdmitter: hook(false), onWorker: hook(true), readAgain: readAgain2, settleAgain };
  }
});

// admission/refuse-literal-parameters/index.js
var require_refuse_literal_parameters = __commonJS({
  "admission/refuse-literal-parameters/index.js"(exports2, module2) {
    "use strict";
    var { answerError, intercept, serverOf } = require_http();
    var { decoded, pathOf, webhookPaths } = require_paths();
    var LITERAL = /^(:|%(25)*3a)/;
    var hasLiteralParameter = (url) => pathOf(url).split("/").flatMap((segment) => decoded(segment).split("/")).some((segment) => LITERAL.test(segment));
    function refuseLiteralParameters2(server, env) {
      const isWebhook = webhookPaths(env);
      intercept(server, (request, response, serve) => {
        if (!isWebhook(request.url) || !hasLiteralParameter(request.url)) return serve();
        answerError(request, response, {
          code: 404,
          message: "No webhook has this path: a part of it begins with a colon.",
          hint: "In the place of a parameter such as :id write its value."
        });
      });
    }
    module2.exports = {
      name: "refuse-literal-parameters",
      isOn: (env) => env.N8N_TUNED_REFUSE_LITERAL_PARAMETERS === "true",
      bind: (context, env) => refuseLiteralParameters2(serverOf(context), env),
      otherwise: "Webhooks with a parameter in their path can be started without their UUID in older n8n.",
      hasLiteralParameter
    };
  }
});

// admission/refuse-while-starting/index.js
var require_refuse_while_starting = __commonJS({
  "admission/refuse-while-starting/index.js"(exports2, module2) {
    "use strict";
    var http = require("node:http");
    var https = require("node:https");
    var { refuse } = require_http();
    var { productionPaths } = require_paths();
    var RETRY = 5;
    var LATEST = 6e5;
    function refuseUntilReady(servers = [http.Server, https.Server]) {
      const kindOf = productionPaths(process.env);
      let [isReady, timer] = [false, void 0];
      const undo = servers.map(({ prototype }) => {
        const own = Object.getOwnPropertyDescriptor(prototype, "emit");
        const { emit } = prototype;
        const emitOrRefuse = function(event, ...args) {
          const [request, response] = args;
          const isRequest = event === "request" || event === "checkContinue";
          if (isReady || !isRequest || !kindOf(request.url) || request.method === "OPTIONS")
            return emit.call(this, event, ...args);
          timer ??= setTimeout(end, LATEST).unref();
          refuse(request, response, { seconds: RETRY, closes: true, message: "n8n is starting." });
          return true;
        };
        prototype.emit = emitOrRefuse;
        return () => {
          if (prototype.emit !== emitOrRefuse) return;
          if (own) Object.defineProperty(prototype, "emit", own);
          else delete prototype.emit;
        };
      });
      function end() {
        isReady = true;
        clearTimeout(timer);
        undo.forEach((each) => each());
      }
      return end;
    }
    var endRefusals;
    module2.exports = {
      name: "refuse-while-starting",
      isOn: (env) => env.N8N_TUNED_REFUSE_WHILE_STARTING === "true",
      load() {
        endRefusals = refuseUntilReady();
      },
      /** What is in front of n8n now has bound before. */
      bind() {
        endRefusals();
      },
      otherwise: "n8n takes requests before it has started.",
      refuseUntilReady
    };
  }
});

// repairs/save-again/index.js
var require_save_again = __commonJS({
  "repairs/save-again/index.js"(exports2, module2) {
    "use strict";
    var { HERE, again } = require_again();
    var { executionStore, requireN8nModules } = require_n8n_modules();
    var [UPDATE, DELETE] = ["updateExistingExecution", "deleteInFlightExecution"];
    var ENDS = ["success", "error", "crashed", "canceled", "waiting"];
    function writeAgain(store, longest, name, here = HERE) {
      if (typeof store?.[name] !== "function") throw new TypeError(`there is no ${name}`);
      const write = store[name].bind(store);
      const pending = /* @__PURE__ */ new Set();
      store[name] = async (...args) => {
        const [id, update] = args;
        const isUpdate = name === UPDATE;
        if (isUpdate && update?.status === "canceled" && pending.has(id)) return false;
        if (isUpdate && !isEnd(update)) return write(...args);
        try {
          return await again(
            () => write(...args),
            longest,
            here,
            (error) => {
              if (update?.status !== "waiting") pending.add(id);
              here.warn(`the end of execution ${id?.executionId ?? id} is written again: ${error.message}`);
            }
          );
        } finally {
          pending.delete(id);
        }
      };
    }
    var isEnd = (update) => update?.retrySuccessId !== void 0 || update?.finished || ENDS.includes(update?.status);
    module2.exports = {
      name: "save-again",
      isOn: (env) => Number(env.N8N_TUNED_SAVE_AGAIN_SECONDS ?? 0) > 0,
      bind(_context, env) {
        const longest = 1e3 * Number(env.N8N_TUNED_SAVE_AGAIN_SECONDS);
        const { require: requireOfN8n } = requireN8nModules();
        const [writer, deleter] = [UPDATE, DELETE].map((method) => executionStore(requireOfN8n, method));
        writeAgain(writer, longest, UPDATE);
        if (deleter) writeAgain(deleter, longest, DELETE);
      },
      otherwise: "The end of an execution is written once: one that the database does not take stays listed as running.",
      writeAgain
    };
  }
});

// admission/wait-for-routes/index.js
var require_wait_for_routes = __commonJS({
  "admission/wait-for-routes/index.js"(exports2, module2) {
    "use strict";
    var { intercept, serverOf } = require_http();
    var { pathOf } = require_paths();
    function answerReadiness(context, path) {
      const { app } = context;
      if (typeof app?.get === "function") return app.get(path, (_request, response) => response.send({ status: "ok" }));
      intercept(serverOf(context), (request, response, serve) => {
        if (pathOf(request.url) !== path) return serve();
        response.writeHead(200, { "Content-Type": "application/json" });
        response.end('{"status":"ok"}');
      });
    }
    module2.exports = {
      name: "wait-for-routes",
      isOn: (env) => Boolean(env.N8N_TUNED_READINESS_PATH),
      bind: (context, env) => answerReadiness(context, env.N8N_TUNED_READINESS_PATH),
      otherwise: "The pod never becomes ready: set probes.waitForRoutes=false."
    };
  }
});

// hooks.js
var { existsSync } = require("node:fs");
var { join } = require("node:path");
var { readyHooks } = require_bind();
var collectInTime = require_collect_in_time();
var drainConnections = require_drain_connections();
var findLostQueue = require_find_lost_queue();
var hideMetrics = require_hide_metrics();
var ignoreUpgrades = require_ignore_upgrades();
var keepInput = require_keep_input();
var limitRequests = require_limit_requests();
var readAgain = require_read_again();
var refuseLiteralParameters = require_refuse_literal_parameters();
var refuseWhileStarting = require_refuse_while_starting();
var saveAgain = require_save_again();
var waitForRoutes = require_wait_for_routes();
var ADMITTING = [
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
  waitForRoutes
];
var WORKING = [collectInTime, saveAgain, readAgain.onWorker];
var LOAD_TARGETS = join(__dirname, "load-targets.js");
var loadTargets = process.env.LOAD_TARGETS !== void 0 && existsSync(LOAD_TARGETS) ? require(LOAD_TARGETS).n8n.ready : [];
exports.n8n = { ready: [...readyHooks(ADMITTING), ...loadTargets] };
exports.worker = { ready: readyHooks(WORKING) };
