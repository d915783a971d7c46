import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { words } from './scripts/eslint-words.mjs';

const typeChecked = {
  extends: [tseslint.configs.recommendedTypeChecked],
  languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
};

export default defineConfig([
  {
    ignores: [
      '**/dist/',
      '**/node_modules/',
      'results/',
      'workflows/',
      'charts/',
      'runtimes/',
      // k6 runs these with globals and modules of its own; its `inspect` checks them.
      'loadtests/',
    ],
  },
  {
    ...typeChecked,
    files: ['{nodes,credentials,capacity,experiments,hooks,bench,site,test}/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    // What lint can check of names and words (CONTRIBUTING.md); folders join when they pass.
    files: ['{capacity,experiments}/src/**/*.ts', 'bench/**/*.ts'],
    plugins: { words },
    rules: {
      'words/no-riddles': 'error',
      'words/of-is-a-look-up': 'error',
      'words/short-sentences': 'error',
    },
  },
  {
    // Tests take apart JSON that other programs wrote: rendered manifests, summaries, answers.
    files: ['{hooks,test}/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
    // The variant for self-hosted n8n: measuring a process takes timers and Node's own modules, which n8n Cloud forbids.
    ...n8nCommunityNodesPlugin.configs.recommendedWithoutN8nCloudSupport,
  },
  {
    files: ['nodes/**/*.ts'],
    plugins: { 'n8n-nodes-base': n8nNodesBase },
    rules: n8nNodesBase.configs.nodes.rules,
  },
  {
    files: ['credentials/**/*.ts'],
    plugins: { 'n8n-nodes-base': n8nNodesBase },
    rules: n8nNodesBase.configs.credentials.rules,
  },
  {
    files: ['package.json'],
    plugins: { 'n8n-nodes-base': n8nNodesBase, '@n8n/community-nodes': n8nCommunityNodesPlugin },
    languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
    rules: {
      ...n8nNodesBase.configs.community.rules,
      ...n8nCommunityNodesPlugin.configs.recommendedWithoutN8nCloudSupport.rules,
      // Bull Queue reads a queue with the library that writes it. The price: n8n Cloud does not verify the package.
      '@n8n/community-nodes/no-runtime-dependencies': 'off',
    },
  },
]);
