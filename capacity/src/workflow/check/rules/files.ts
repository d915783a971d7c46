import semver from 'semver';
import type { WorkflowNode } from '../../file.js';
import { isOfType, readParameter, findPlaces } from '../nodes.js';
import type { Rule } from '../rule.js';

/** Nodes that read or write files. */
const FILE_NODES = [
  ...['convertToFile', 'extractFromFile', 'readWriteFile', 'spreadsheetFile', 'readPDF', 'compression', 'editImage'],
  ...['moveBinaryData', 'readBinaryFile', 'readBinaryFiles', 'writeBinaryFile'],
];

export const binary: Rule = {
  id: 'binary-data',
  title: 'Files',
  cost: 'memory',
  why: 'A file is in memory while a node works on it, and in every later node too where binary data is kept in memory.',
  change:
    'Check that N8N_DEFAULT_BINARY_DATA_MODE is not "default" (memory): filesystem in regular mode, database or s3 in queue mode.',
  applies: ({ filesInMemory, n8n }) => filesInMemory ?? !hasFilesOutsideMemory(n8n),
  find: (workflow) => findPlaces(workflow, (node) => isOfType(node, ...FILE_NODES) || isFileDownload(node)),
};

/** Whether this version of n8n keeps files on disk or in the database by default, as 2.0 and later do. */
const hasFilesOutsideMemory = (n8n: string): boolean =>
  semver.valid(n8n) !== null && semver.satisfies(n8n, '>=2.0.0', { includePrerelease: true });

const isFileDownload = (node: WorkflowNode): boolean =>
  isOfType(node, 'httpRequest') && readParameter(node, 'options', 'response', 'response', 'responseFormat') === 'file';
