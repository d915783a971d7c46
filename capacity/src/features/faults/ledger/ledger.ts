import type { LedgerEntry, ListedExecution } from '../record.js';
import type { Credential } from '../../../plan/custom-workflow/credentials-file.js';

/** Entries of the ledger, and n8n's list of executions, so far. */
export interface LedgerContents {
  ledger: LedgerEntry[];
  executions: ListedExecution[];
}

/** A node of a workflow, without its place and its id. */
export interface LedgerNode {
  name: string;
  type: string;
  typeVersion: number;
  parameters: Record<string, unknown>;
  credentials?: Record<string, { id: string; name: string }>;
}

/** Where the workflow writes the ids of its requests, in n8n's own database or beside it. */
export interface Ledger {
  /** Creates the ledger. Rejects if that fails. */
  make(): Promise<void>;
  /** Reads it, and n8n's executions of a workflow. Rejects when they cannot be read. */
  read(workflowId: string): Promise<LedgerContents>;
}

/** How a workflow writes it. */
export interface Writing {
  /** The nodes that write an entry, in their order. */
  nodes(event: LedgerEntry['event']): LedgerNode[];
  credentials: Credential[];
}

/** The id of the request and of the execution, in expressions of n8n. */
export const REQUEST_ID = "$('Webhook').first().json.query.id";
export const EXECUTION_ID = '$execution.id';
