import type { INodeProperties } from 'n8n-workflow';
import { blockEventLoop } from './blockEventLoop';
import { burnCpu } from './burnCpu';
import { holdMemory } from './holdMemory';
import { httpFanOut } from './httpFanOut';
import { identify } from './identify';
import { payload } from './payload';
import { transform } from './transform';
import { wait } from './wait';

/** By their value in the parameter `operation`. */
export const operations = { blockEventLoop, burnCpu, holdMemory, httpFanOut, identify, payload, transform, wait };

/** The choice among them. */
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
      description: 'Keep the process from serving anybody for a time',
    },
    {
      name: 'Burn CPU',
      value: 'burnCpu',
      action: 'Burn CPU',
      description: 'Count to a number, or burn for a time',
    },
    {
      name: 'Generate Payload',
      value: 'payload',
      action: 'Generate a payload',
      description: 'Put out items of a given number and size, JSON or binary',
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
      description: 'Send GET requests to one URL at once and time the answers',
    },
    {
      name: 'Identify Process',
      value: 'identify',
      action: 'Identify the process',
      description: 'Say which process answers: its host, component, versions, memory and event-loop lag',
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
      description: 'Take time without using any',
    },
  ],
  default: 'wait',
};
