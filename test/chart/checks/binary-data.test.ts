import { queue } from '../render.js';
import { tests } from './cases.js';

const s3 = { host: 's', bucket: 'b', region: 'r', existingSecret: 's' };
const inS3 = (values: object, tag = '2.41.1') => ({
  image: { tag },
  binaryData: { mode: 's3', s3: { ...s3, ...values } },
});

await tests('_binary-data.tpl', [
  [
    'files-without-volume',
    'binaryData.mode=filesystem',
    {
      main: { persistence: { enabled: false } },
      database: { type: 'postgresql' },
      binaryData: { mode: 'filesystem' },
    },
  ],
  ['filesystem-in-queue', 'binaryData.mode=filesystem', queue({ binaryData: { mode: 'filesystem' } })],
  [
    'binary-data-database-unsupported',
    'binaryData.mode=database',
    queue({ image: { tag: '1.100.0' }, binaryData: { mode: 'database' } }),
    'binaryData.mode=default',
    '1.123.0',
  ],
  ['s3-incomplete', 'binaryData.s3.bucket', inS3({ bucket: '' })],
  ['s3-unsupported', 'binaryData.mode=s3', inS3({}, '1.0.0'), 'image.tag to 1.27.0'],
  [
    's3-identity-unsupported',
    'binaryData.s3.existingSecret',
    inS3({ existingSecret: '' }, '1.100.0'),
    'image.tag to 1.114.0',
  ],
  ['s3-http-unsupported', 'binaryData.s3.protocol=http', inS3({ protocol: 'http' }, '1.50.0'), 'image.tag to 1.95.0'],
  [
    'execution-data-in-files',
    'extraEnv N8N_EXECUTION_DATA_STORAGE_MODE=filesystem',
    queue({ extraEnv: [{ name: 'N8N_EXECUTION_DATA_STORAGE_MODE', value: 'filesystem' }] }),
    'worker',
  ],
  [
    'execution-data-in-files',
    'extraEnv N8N_EXECUTION_DATA_STORAGE_MODE=filesystem',
    {
      main: { persistence: { enabled: false } },
      database: { type: 'postgresql' },
      extraEnv: [{ name: 'N8N_EXECUTION_DATA_STORAGE_MODE', value: 'filesystem' }],
    },
    'main.persistence.enabled',
  ],
]);
