import type { INodeProperties } from 'n8n-workflow';

/** The parameter that chooses another queue than that of the credential. */
export const queueField: INodeProperties = {
  displayName: 'Queue',
  name: 'queue',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  description: 'The queue under the prefix of the credential. Leave empty for the queue of the credential.',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      typeOptions: { searchListMethod: 'searchQueues', searchable: true },
    },
    { displayName: 'By Name', name: 'name', type: 'string', placeholder: 'jobs' },
  ],
};
