import { owner } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { ownerOfClientApp } from './reads.ts';

/** Open to the owner of the application that a parameter names. */
export const ownApp = (param: string) => owner<Context>(param, 'client application', ownerOfClientApp);
