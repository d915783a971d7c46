import { render, refusals } from '../render.js';
import { tests } from './cases.js';

const install = (...packages: string[]) => ({ communityPackages: { install: packages } });
const path = 'communityPackages.install';

await tests('_packages.tpl', [
  ['package-without-version', `${path} n8n-nodes-imap`, install('n8n-nodes-imap'), 'n8n-nodes-imap@1.2.3'],
  [
    'package-without-version',
    `${path} n8n-nodes-imap@^2.0.0`,
    install('n8n-nodes-imap@^2.0.0'),
    'n8n-nodes-imap@1.2.3',
  ],
  [
    'package-without-version',
    `${path} @acme/n8n-nodes-x@latest`,
    install('@acme/n8n-nodes-x@latest'),
    '@acme/n8n-nodes-x@1.2.3',
  ],
  ['package-name', `${path} lodash@4.17.21`, install('lodash@4.17.21'), 'n8n-nodes-'],
  [
    'package-twice',
    `${path} n8n-nodes-y@2.0.1`,
    install('n8n-nodes-y@2.0.0', 'n8n-nodes-y@2.0.1'),
    'n8n-nodes-y@2.0.0',
  ],
  [
    'packages-switched-off',
    'extraEnv N8N_COMMUNITY_PACKAGES_ENABLED',
    { ...install('n8n-nodes-y@2.0.0'), extraEnv: [{ name: 'N8N_COMMUNITY_PACKAGES_ENABLED', value: 'false' }] },
  ],
]);

it.each(['n8n-nodes-x; rm -rf /', '--global', 'git+https://example.com/x'])('%s is not a package', async (spec) => {
  expect(await refusals(install(spec))).toMatchObject([
    { code: 'format', value: `communityPackages.install[0]=${spec}` },
  ]);
});

it('accepts exact versions, also of scoped packages', () => {
  expect(() => render(install('@acme/n8n-nodes-x@1.0.0-rc.1', 'n8n-nodes-y@2.0.0'))).not.toThrow();
});
