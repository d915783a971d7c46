import { queue } from '../render.js';
import { tests } from './cases.js';

const accessModes = ['ReadWriteOncePod', 'ReadWriteMany'];

await tests('_persistence.tpl', [
  [
    'access-mode-with-others',
    'main.persistence.accessModes=ReadWriteOncePod,ReadWriteMany',
    { main: { persistence: { accessModes } } },
  ],
  [
    'access-mode-with-others',
    'redis.persistence.accessModes=ReadWriteOncePod,ReadWriteMany',
    queue({ redis: { persistence: { accessModes } } }),
  ],
]);
