import { nextHolder } from '@latchkey/gate/next';
import { gate, visitor } from '../../../gate';

export const GET = nextHolder(gate, { visitor });
