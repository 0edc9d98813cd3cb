import { owner } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { ownerOfClientApp } from './reads.ts';

/** Grants access to the owner of the application in a parameter. */
export const ownApp = (param: string) => owner<Context>(param, 'client application', ownerOfClientApp);
