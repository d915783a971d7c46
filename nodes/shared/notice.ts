import type { INodeProperties } from 'n8n-workflow';

/** The text that the editor shows above the fields of a dangerous operation. It is not a parameter. */
export const noticeField = (operation: string, text: string): INodeProperties => ({
  displayName: text,
  name: `${operation}Notice`,
  type: 'notice',
  displayOptions: { show: { operation: [operation] } },
  default: '',
});
