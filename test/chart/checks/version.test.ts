import { tests } from './cases.js';

await tests('_version.tpl', [
  ['image-not-a-version', 'image.tag=latest', { image: { tag: 'latest' } }, 'Set image.version'],
  ['image-not-a-version', 'image.version=stable', { image: { version: 'stable' } }, 'Set image.version'],
  ['image-digest-alone', 'image.digest', { image: { digest: `sha256:${'a'.repeat(64)}` } }, 'Set image.version'],
  ['image-two-versions', 'image.version=0.221.2', { image: { tag: '2.0.0', version: '0.221.2' } }, 'image.tag=2.0.0'],
]);
