/** Types of n8n's own nodes that are read or made here. */
export const WEBHOOK_TYPE = 'n8n-nodes-base.webhook';
export const EXECUTE_WORKFLOW = 'n8n-nodes-base.executeWorkflow';
