import type {
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
  NodeConnectionType,
} from 'n8n-workflow';
import { toNodeError, errorText } from '../shared/failure';
import { operationField, operations } from './operations';
import { runItems } from './runItems';

// Constants, because the two ESLint plugins require different literals here. n8n-workflow below 1.70 has no
// NodeConnectionTypes at run time, and n8n-core below 1.50 cannot read a pair of light and dark icons.
const MAIN: NodeConnectionType[] = ['main'];
const ICON = 'file:loadTarget.svg';

/** A node whose cost is known and bounded. Load tests drive it. */
export class LoadTarget implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Load Target',
    name: 'loadTarget',
    icon: ICON,
    group: ['transform'],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: 'Do work whose cost is known and bounded, to find out what load a deployment can take',
    defaults: { name: 'Load Target' },
    inputs: MAIN,
    outputs: MAIN,
    // A model must not decide to load a server. n8n offers a node as a tool only if this is true, and its lint rule
    // requires the property.
    usableAsTool: undefined,
    properties: [operationField, ...Object.values(operations).flatMap(({ properties }) => properties)],
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const outputs: INodeExecutionData[][] = [];
    await runItems(this, {
      done: (itemIndex, output) => {
        outputs[itemIndex] = output.map((item) => ({ ...item, pairedItem: { item: itemIndex } }));
      },
      failed: (itemIndex, error) => {
        const failure = toNodeError(this.getNode(), error, itemIndex);
        if (!this.continueOnFail()) throw failure;
        outputs[itemIndex] = [{ json: { error: errorText(error) }, pairedItem: { item: itemIndex } }];
      },
    });
    return [outputs.flat()];
  }
}
