import type { ICredentialType, INodeProperties } from 'n8n-workflow';

// Constants, because the two ESLint plugins contradict each other on literals here.
const ICON = 'file:../nodes/BullQueue/bullQueue.svg' as const;
const DISPLAY_NAME = 'Bull Queue API';
const DOCUMENTATION = 'https://github.com/n8n-tuned/n8n-tuned/blob/main/docs/nodes.md#the-credential';

const singleServer = { show: { clusterNodes: [''] } };

/** The Redis of n8n's queue and the name of the queue, as in n8n's variables QUEUE_BULL_*. */
export class BullQueueApi implements ICredentialType {
  name = 'bullQueueApi';

  displayName = DISPLAY_NAME;

  icon = ICON;

  documentationUrl = DOCUMENTATION;

  properties: INodeProperties[] = [
    {
      displayName: 'Host',
      name: 'host',
      type: 'string',
      displayOptions: singleServer,
      default: 'localhost',
      description: 'Name or address of the Redis server, as in QUEUE_BULL_REDIS_HOST',
    },
    {
      displayName: 'Port',
      name: 'port',
      type: 'number',
      displayOptions: singleServer,
      default: 6379,
    },
    {
      displayName: 'Database',
      name: 'database',
      type: 'number',
      displayOptions: singleServer,
      default: 0,
      description: 'Number of the database, as in QUEUE_BULL_REDIS_DB',
    },
    {
      displayName: 'Cluster Nodes',
      name: 'clusterNodes',
      type: 'string',
      default: '',
      placeholder: 'redis-0:6379, redis-1:6379',
      description:
        'One or more nodes of a Redis Cluster, as in QUEUE_BULL_REDIS_CLUSTER_NODES. Host, port and database are then not used.',
    },
    {
      displayName: 'User',
      name: 'user',
      type: 'string',
      default: '',
      description: 'Leave empty if Redis has a password only. A user with read access is enough.',
    },
    {
      displayName: 'Password',
      name: 'password',
      type: 'string',
      typeOptions: { password: true },
      default: '',
    },
    {
      displayName: 'TLS',
      name: 'tls',
      type: 'boolean',
      default: false,
      description: 'Whether to encrypt the connection and to check the certificate of the server',
    },
    {
      displayName: 'CA Certificate',
      name: 'ca',
      type: 'string',
      typeOptions: { rows: 4 },
      displayOptions: { show: { tls: [true] } },
      default: '',
      placeholder: '-----BEGIN CERTIFICATE-----',
      description:
        'Certificate of the authority that signed the certificate of the server, in PEM. Leave empty for a public authority.',
    },
    {
      displayName: 'Server Name',
      name: 'serverName',
      type: 'string',
      displayOptions: { show: { tls: [true] } },
      default: '',
      placeholder: 'redis.example.com',
      description:
        'Name that the certificate of the server must have, if it is not the host: for example behind a tunnel or an address. Leave empty for the host.',
    },
    {
      displayName: 'Prefix',
      name: 'prefix',
      type: 'string',
      default: 'bull',
      description: 'As in QUEUE_BULL_PREFIX. For a Redis Cluster it is put in braces, as in n8n.',
    },
    {
      displayName: 'Queue',
      name: 'queue',
      type: 'string',
      default: 'jobs',
      description: 'Name of the queue: "jobs", or "jobs-" followed by the name of a worker pool',
    },
    {
      displayName: 'Allow Changes',
      name: 'allowChanges',
      type: 'boolean',
      default: false,
      description:
        'Whether workflows with this credential may pause and resume the queue. AI agents that use the node as a tool never may.',
    },
  ];
}
