import { takeTurns } from '@latchkey/test-kit';

/** Each run over all files calls some of the resources with the original SDK, and in three turns all. */
export const turns = takeTurns('calls of the original SDK', 3);
