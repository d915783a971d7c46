import { totalmem } from 'node:os';

/** Memory of this machine, or of the container that this process runs in, in bytes. */
export const machineMemoryBytes = (): number => Math.min(totalmem(), process.constrainedMemory() || Infinity);
