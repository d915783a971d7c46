import { EXECUTE_WORKFLOW } from '../../workflow/node-types.js';
import { EnvironmentFault, messageOf, UsageError } from '../../core/errors.js';
import { waitUntil } from '../../core/wait-until.js';
import { randomBytes } from 'node:crypto';
import { BUILT_IN, builtIn } from './built-in.js';
import { ApiRefused, type Listed, type N8nApi } from './api.js';
import { isSubWorkflow, publishesSubWorkflows, type Imports } from '../n8n-import.js';
import { NAME_PREFIX } from './target.js';

/** How long after its deadline a request may still be carried out by a busy n8n. */
const LATE_SECONDS = 10;

/** The workflows and credentials that a run creates in an n8n, and removes again. */
export class Imported {
  /** Ids that n8n assigned to the workflows that requests start. */
  readonly started: string[] = [];
  /** Names of the workflows that use built-in nodes because n8n-nodes-tuned is not installed. */
  readonly builtIn: string[] = [];
  /** New ids of the credentials, by type and old id, and by type and name for nodes that refer by name. */
  private readonly credentials = new Map<string, string>();
  /** New ids of the workflows, by their old ones. */
  private readonly workflows = new Map<string, string>();
  private readonly created = { workflows: [] as string[], credentials: [] as string[] };
  /** At the end of the name of all that this run creates. */
  private readonly mark = `(${randomBytes(3).toString('hex')})`;
  /** Something was asked for and not confirmed; n8n may have created it all the same. */
  private unconfirmed = false;

  constructor(
    private readonly api: N8nApi,
    /** Of n8n; undefined if it is not known. */
    private readonly version: string | undefined,
    private readonly signal: AbortSignal,
    private readonly lateSeconds = LATE_SECONDS,
  ) {}

  /**
   * Creates and activates everything. What was created before an error is left to `remove`.
   * @throws UsageError for a workflow that this n8n cannot run, and what N8nApi throws
   */
  async create({ workflows, credentials }: Imports): Promise<void> {
    for (const { id, name, type, data } of credentials) {
      this.signal.throwIfAborted();
      const created = await this.confirmed(this.api.createCredential({ name: this.named(name), type, data }));
      this.created.credentials.push(created.id);
      for (const key of [id, name]) this.credentials.set(`${type} ${key}`, created.id);
    }
    for (const workflow of workflows as Workflow[]) await this.activated(workflow);
  }

  /**
   * Removes everything again, also when the user has ended the run.
   * @throws EnvironmentFault that says what is left
   */
  async remove(): Promise<void> {
    const left: string[] = [];
    if (this.unconfirmed) await this.find().catch((error: unknown) => left.push(messageOf(error)));
    const tried = async (ids: Iterable<string>, remove: (id: string) => Promise<void>) => {
      for (const id of ids) await remove(id).catch((error: unknown) => left.push(messageOf(error)));
    };
    await tried(this.created.workflows.splice(0), (id) => this.api.deleteWorkflow(id));
    await tried(this.created.credentials.splice(0), (id) => this.api.deleteCredential(id));
    if (left.length > 0)
      throw new EnvironmentFault(
        `not everything could be removed (${left[0]}); remove the rest with "n8n-capacity clean --url ${this.api.url}".`,
      );
  }

  /** A creation, which may succeed although no answer comes. */
  private async confirmed<T>(creation: Promise<T>): Promise<T> {
    try {
      return await creation;
    } catch (error) {
      this.unconfirmed ||= !(error instanceof ApiRefused);
      throw error;
    }
  }

  private named = (name: string) => `${NAME_PREFIX}${name} ${this.mark}`;

  /** Finds what was created without an answer, also where n8n gets round to it a little later. */
  private async find(): Promise<void> {
    const listed = async () => {
      const isNew = (known: string[]) => (item: Listed) => item.name.endsWith(this.mark) && !known.includes(item.id);
      const { workflows, credentials } = this.created;
      const foundWorkflows = (await this.api.workflows()).filter(isNew(workflows)).map(({ id }) => id);
      const foundCredentials = (await this.api.credentials()).filter(isNew(credentials)).map(({ id }) => id);
      workflows.push(...foundWorkflows);
      credentials.push(...foundCredentials);
      return foundWorkflows.length + foundCredentials.length > 0;
    };
    await waitUntil(listed, { seconds: this.lateSeconds, everyMs: 1000 });
  }

  private async activated(workflow: Workflow): Promise<void> {
    this.signal.throwIfAborted();
    const plain = workflow.name.replace(/^n8n-tuned: /, '');
    try {
      await this.activate(workflow, plain);
    } catch (error) {
      if (error instanceof ApiRefused && error.status === 409)
        throw new UsageError(
          `${plain}: an active workflow of this n8n has its webhook already (${error.message}). Deactivate it (of the chart's load targets: loadTargets.enabled=false), or drive it with --webhook.`,
        );
      // n8n refuses to activate a workflow with unknown nodes.
      const replaced = usesOwnNode(workflow) && error instanceof ApiRefused && error.status === 400;
      if (!replaced) throw error;
      const variant = builtIn(plain, workflow);
      if (!variant)
        throw new UsageError(
          `${plain}: needs n8n-nodes-tuned, which is not installed there (${error.message}). Use ${BUILT_IN.join(', ')}, webhook-expression, respond-node, code or sub-workflow, which need only built-in nodes.`,
        );
      await this.discard();
      await this.activate(variant, plain);
      this.builtIn.push(plain);
    }
  }

  private async activate(workflow: Workflow, plain: string): Promise<void> {
    const { id } = await this.confirmed(this.api.createWorkflow(this.payload(workflow, this.named(plain))));
    this.created.workflows.push(id);
    this.workflows.set(workflow.id, id);
    const isStarted = !isSubWorkflow(workflow);
    if (isStarted || publishesSubWorkflows(this.version)) await this.api.activate(id);
    if (isStarted) this.started.push(id);
  }

  /** Removes the workflow created last. */
  private async discard(): Promise<void> {
    await this.api.deleteWorkflow(this.created.workflows.at(-1)!);
    this.created.workflows.pop();
  }

  /** The fields of a workflow that the API accepts. Its executions are saved, because they may be counted from their list. */
  private payload({ nodes, connections, settings, staticData }: Workflow, name: string): object {
    return {
      name,
      nodes: nodes.map((node) => ({
        ...Object.fromEntries(Object.entries(node).filter(([key]) => NODE_KEYS.has(key))),
        ...(node.credentials && { credentials: this.withNewIds(node.credentials) }),
        ...(node.type === EXECUTE_WORKFLOW && { parameters: this.withNewId(node.parameters) }),
      })),
      connections,
      settings: {
        ...Object.fromEntries(Object.entries(settings ?? {}).filter(([key]) => SETTING_KEYS.has(key))),
        saveDataSuccessExecution: 'all',
        saveDataErrorExecution: 'all',
      },
      ...(staticData ? { staticData } : {}),
    };
  }

  /** The parameters of an Execute Workflow node: its workflow is named by an id, or by a list's entry that holds the id. */
  private withNewId(parameters: SubWorkflowParameters): object {
    const { workflowId: of } = parameters;
    const id = this.workflows.get((typeof of === 'object' ? of?.value : of) ?? '');
    if (id === undefined) return parameters;
    return { ...parameters, workflowId: typeof of === 'object' ? { ...of, value: id } : id };
  }

  private withNewIds(credentials: Record<string, { id?: string | null; name?: string }>): object {
    return Object.fromEntries(
      Object.entries(credentials).map(([type, reference]) => {
        const id = this.credentials.get(`${type} ${reference.id ?? reference.name}`);
        return [type, id === undefined ? reference : { id, name: reference.name ?? type }];
      }),
    );
  }
}

/** Of an Execute Workflow node: version 1 has an id, later versions an entry of the editor's list. */
interface SubWorkflowParameters {
  workflowId?: string | { value: string } | null;
}

interface Workflow {
  id: string;
  name: string;
  nodes: (Record<string, unknown> & {
    type: string;
    parameters: SubWorkflowParameters;
    credentials?: Record<string, { id?: string | null; name?: string }>;
  })[];
  connections: object;
  settings?: Record<string, unknown> | null;
  staticData?: unknown;
}

const usesOwnNode = ({ nodes }: Workflow) => nodes.some(({ type }) => String(type).startsWith('n8n-nodes-tuned.'));

/** The API refuses all other keys, even those that n8n's own export writes. */
const NODE_KEYS = new Set([
  ...['id', 'name', 'webhookId', 'disabled', 'notesInFlow', 'notes', 'type', 'typeVersion', 'position', 'parameters'],
  ...['executeOnce', 'alwaysOutputData', 'retryOnFail', 'maxTries', 'waitBetweenTries', 'continueOnFail', 'onError'],
]);
const SETTING_KEYS = new Set(['executionTimeout', 'timezone', 'executionOrder', 'saveExecutionProgress']);
