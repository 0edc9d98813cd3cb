import type { SealedColumn } from '../../developers/signing-keys/index.ts';
import { miniAppKeysSealed } from './keys.ts';
import { permissionQuestionsSealed } from './permission-queries.ts';

/** Every sealed column of this feature, for a change of the master key. */
export const miniAppsSealed: readonly SealedColumn[] = [...miniAppKeysSealed, ...permissionQuestionsSealed];
