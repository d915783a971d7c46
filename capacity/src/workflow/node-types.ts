/** Types of n8n's own nodes that the tool reads or creates. */
export const WEBHOOK_TYPE = 'n8n-nodes-base.webhook';
export const EXECUTE_WORKFLOW = 'n8n-nodes-base.executeWorkflow';
