import type { INodeProperties } from 'n8n-workflow';
import { blockEventLoop } from './blockEventLoop';
import { burnCpu } from './burnCpu';
import { holdMemory } from './holdMemory';
import { httpFanOut } from './httpFanOut';
import { identify } from './identify';
import { payload } from './payload';
import { transform } from './transform';
import { wait } from './wait';

/** All operations, by their value in the parameter `operation`. */
export const operations = { blockEventLoop, burnCpu, holdMemory, httpFanOut, identify, payload, transform, wait };

/** The parameter that chooses one of them. */
export const operationField: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: 'Block Event Loop',
      value: 'blockEventLoop',
      action: 'Block the event loop',
      description: 'Block the process for a time, so that it serves no other request',
    },
    {
      name: 'Burn CPU',
      value: 'burnCpu',
      action: 'Burn CPU',
      description: 'Count to a number, or burn CPU for a time',
    },
    {
      name: 'Generate Payload',
      value: 'payload',
      action: 'Generate a payload',
      description: 'Output a given number of items of a given size, as JSON or binary',
    },
    {
      name: 'Hold Memory',
      value: 'holdMemory',
      action: 'Hold memory',
      description: 'Hold megabytes on or off the V8 heap for a time',
    },
    {
      name: 'HTTP Fan-Out',
      value: 'httpFanOut',
      action: 'Send HTTP requests at once',
      description: 'Send GET requests to one URL at once, and measure the answers',
    },
    {
      name: 'Identify Process',
      value: 'identify',
      action: 'Identify the process',
      description: 'Return which process answers: its host, component, versions, memory and event-loop lag',
    },
    {
      name: 'Transform JSON',
      value: 'transform',
      action: 'Transform a JSON document',
      description: 'Generate, read or write a JSON document of a given size',
    },
    {
      name: 'Wait',
      value: 'wait',
      action: 'Wait without blocking',
      description: 'Wait for a time without using CPU',
    },
  ],
  default: 'wait',
};
